// A figure with its heading: the part that all kinds of figures share.
import {breakable, type Child, h} from './dom';
import type {Plot} from './plot';
import type {FigureChoices} from './state';

export interface Card<T> {
  readonly element: HTMLElement;
  update(figure: T): void;  // new numbers for the same figure
  refresh(): void;          // after a change of the choices
  drawNow(): void;          // even if it is not visible
  destroy(): void;
}

export function cardFrame(id: string, title: string, about: string, choices: FigureChoices,
                          plots: () => Plot[], ...children: Child[]): HTMLElement {
  const expand = h('button', {type: 'button', class: 'tool expand'});
  const element = h('article', {class: 'card', id: `figure-${id}`, 'aria-label': title},
    h('header', {},
      h('div', {},
        h('h3', {}, h('a', {href: `#figure-${id}`}, breakable(title))),
        about === '' ? null : h('p', {class: 'about'}, about)),
      expand),
    ...children);
  const show = () => {
    element.classList.toggle('expanded', choices.expanded);
    expand.textContent = choices.expanded ? 'smaller' : 'larger';
    expand.setAttribute('aria-label', `${choices.expanded ? 'Smaller' : 'Larger'}: ${title}`);
    expand.setAttribute('aria-pressed', String(choices.expanded));
  };
  expand.addEventListener('click', () => {
    choices.expanded = !choices.expanded;
    show();
    for (const plot of plots()) plot.refresh();
  });
  show();
  return element;
}

// A folded part. It is made when it is first opened, and stays open after updates.
export function folded(name: string, summary: string, choices: FigureChoices,
                       fill: () => Node): HTMLDetailsElement {
  const element = h('details', {}, h('summary', {}, summary));
  let filled = false;
  const opened = () => {
    choices.open[name] = element.open;
    if (!element.open || filled) return;
    filled = true;
    element.append(fill());
  };
  element.addEventListener('toggle', opened);
  element.open = choices.open[name] ?? false;
  return element;
}
