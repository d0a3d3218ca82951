// Makes elements without a framework. Text is always set as text, never as markup.
type Value = string | number | boolean | null | undefined | ((event: never) => void);
export type Attributes = Record<string, Value>;
export type Child = Node | string | null;

function apply(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') {
      element.addEventListener(name, value as EventListener);
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
}

// h('button', {class: 'small', click: () => ...}, 'text'): a function is a listener.
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, attributes);
  element.append(...children.filter((child): child is Node | string => child !== null));
  return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Node[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  apply(element, attributes);
  element.append(...children);
  return element;
}

// A name that may be broken into lines after ( , + _ / and |, as a spec has them.
export function breakable(name: string): HTMLElement {
  const pieces = name.match(/[^(,+_/|]*[(,+_/|]|[^(,+_/|]+/g) ?? [];
  return h('span', {class: 'breakable'}, ...pieces.flatMap((piece) => [piece, h('wbr')]).slice(0, -1));
}

// A button that stays pressed; refresh() asks pressed() again.
export interface Toggle {
  element: HTMLButtonElement;
  refresh(): void;
}
export function toggle(text: string, title: string, pressed: () => boolean,
                       flip: () => void): Toggle {
  const element = h('button', {type: 'button', class: 'toggle', title}, text);
  const refresh = () => element.setAttribute('aria-pressed', String(pressed()));
  element.addEventListener('click', () => {
    flip();
    refresh();
  });
  refresh();
  return {element, refresh};
}

export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = h('a', {href: address, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// One row of comma-separated values.
export function csvRow(values: (string | number | null)[]): string {
  const cell = (value: string | number | null) => {
    const text = value === null ? '' : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return values.map(cell).join(',') + '\n';
}
