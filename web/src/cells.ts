// Table cells with an explanation: shown on hover and focus, pinned by a click or a tap. The Tab
// key reaches one cell per table; the arrow keys go to the others.
import {type Child, h} from './dom';
import {hideTip, tipBeside} from './tip';

export function explainedCell(explain: () => Node, ...children: Child[]): HTMLButtonElement {
  const button = h('button', {type: 'button', class: 'cell', tabindex: -1}, ...children);
  button.addEventListener('pointerenter', (event) => {
    if (event.pointerType !== 'touch') tipBeside(button, explain());
  });
  button.addEventListener('pointerleave', () => hideTip());
  button.addEventListener('focus', () => tipBeside(button, explain()));
  button.addEventListener('blur', () => hideTip());
  button.addEventListener('click', () => tipBeside(button, explain(), true));
  return button;
}

const moves: Record<string, [number, number]> = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
};

// Lets the Tab key reach the first cell, and the arrow keys the others. Call it again after the
// rows have been rebuilt.
export function startRoving(table: HTMLTableElement): void {
  const grid = () => [...table.tBodies].flatMap((body) => [...body.rows])
    .map((row) => [...row.cells].map((cell) => cell.querySelector<HTMLButtonElement>('.cell')));
  const first = table.querySelector<HTMLButtonElement>('.cell');
  if (first !== null) first.tabIndex = 0;
  if (table.dataset.roving !== undefined) return;
  table.dataset.roving = '';
  table.addEventListener('keydown', (event) => {
    const move = moves[event.key];
    const from = (event.target as Element).closest<HTMLButtonElement>('.cell');
    if (move === undefined || from === null) return;
    const rows = grid();
    let i = rows.findIndex((row) => row.includes(from));
    let j = rows[i].indexOf(from);
    let next: HTMLButtonElement | null = null;
    do {
      i += move[0];
      j += move[1];
      if (i < 0 || i >= rows.length || j < 0 || j >= rows[i].length) return;
      next = rows[i][j];
    } while (next === null);
    event.preventDefault();
    from.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
    next.scrollIntoView({block: 'nearest', inline: 'nearest'});
  });
}

// Wide tables scroll inside their own frame, which the keyboard must be able to reach.
export function scrollFrame(label: string, table: HTMLTableElement): HTMLElement {
  return h('div', {class: 'frame', tabindex: 0, role: 'region', 'aria-label': label}, table);
}
