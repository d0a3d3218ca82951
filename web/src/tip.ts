// The only tooltip of the page. It follows the pointer or stands beside an element. When pinned, it
// stays until it is closed, so that its links can be clicked.
import {h} from './dom';

const body = h('div', {class: 'tip-body'});
const close = h('button', {type: 'button', class: 'tip-close', 'aria-label': 'Close'}, '\u00d7');
const box = h('div', {class: 'tip', id: 'tip', role: 'tooltip', hidden: true}, body, close);

let anchor: HTMLElement | null = null;
let pinned = false;
let closing = false;  // while the focus returns to a cell, which must not open the tip again

export function startTips(): void {
  document.body.append(box);
  close.addEventListener('click', () => hideTip(true));
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !box.hidden) hideTip(true);
  });
  document.addEventListener('pointerdown', (event) => {
    if (pinned && !box.contains(event.target as Node)) hideTip(true);
  });
  window.addEventListener('scroll', () => {
    if (anchor !== null) beside(anchor.getBoundingClientRect());
    else hideTip();
  }, {passive: true});
}

function show(content: Node, pin: boolean): void {
  body.replaceChildren(content);
  pinned = pin;
  box.hidden = false;
  box.classList.toggle('pinned', pin);
  box.setAttribute('role', pin ? 'dialog' : 'tooltip');
  if (pin) box.setAttribute('aria-label', 'Explanation');
  else box.removeAttribute('aria-label');
}

function place(left: number, top: number): void {
  const margin = 8;
  const fit = (value: number, size: number, room: number) =>
    Math.max(margin, Math.min(value, room - size - margin));
  box.style.left = `${fit(left, box.offsetWidth, document.documentElement.clientWidth)}px`;
  box.style.top = `${fit(top, box.offsetHeight, window.innerHeight)}px`;
}

function beside(around: DOMRect): void {
  const below = around.bottom + 8;
  const fits = below + box.offsetHeight < window.innerHeight;
  place(around.left, fits ? below : around.top - box.offsetHeight - 8);
}

// Does nothing while another tip is pinned.
export function tipAt(x: number, y: number, content: Node): void {
  if (pinned) return;
  show(content, false);
  const right = x + 16 + box.offsetWidth < document.documentElement.clientWidth - 8;
  place(right ? x + 16 : x - 16 - box.offsetWidth, y + 16);
}

export function tipBeside(element: HTMLElement, content: Node, pin = false): void {
  if (closing || (pinned && !pin)) return;
  release();
  show(content, pin);
  anchor = element;
  element.setAttribute('aria-describedby', 'tip');
  beside(element.getBoundingClientRect());
  if (pin) (box.querySelector<HTMLElement>('a') ?? close).focus({preventScroll: true});
}

function release(): void {
  anchor?.removeAttribute('aria-describedby');
  anchor = null;
}

export function hideTip(unpin = false): void {
  if (pinned && !unpin) return;
  const back = pinned && box.contains(document.activeElement) ? anchor : null;
  release();
  pinned = false;
  box.hidden = true;
  closing = true;
  back?.focus({preventScroll: true});
  closing = false;
}

// A heading and lines of name and value.
export function facts(title: Node | string, rows: [string, Node | string][],
                      ...more: (Node | null)[]): HTMLElement {
  const list = h('dl', {});
  for (const [name, value] of rows) list.append(h('dt', {}, name), h('dd', {}, value));
  return h('div', {class: 'facts'}, h('p', {class: 'tip-title'}, title), list, ...more);
}
