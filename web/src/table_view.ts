// A table as in the paper, with one row per algorithm and one column per problem. A cell has our
// number above the paper's, and is tinted by their difference in standard errors.
import {named} from './algorithms';
import {explainedCell, scrollFrame, startRoving} from './cells';
import {breakable, type Child, h} from './dom';
import {count, number, percent, secondsWithError, standardErrors, steps, timesLess, twoGroups,
  withError} from './format';
import type {Difference, Maybe, Table, TableCell} from './report';
import {type Sorting, state} from './state';
import {facts} from './tip';

const bounds = [2, 3, 6, 15];  // standard errors at which a tint becomes deeper

function tint(z: Maybe): string | null {
  if (z === null) return null;
  const depth = bounds.filter((bound) => Math.abs(z) >= bound).length;
  return depth === 0 ? null : `${z < 0 ? 'less' : 'more'}-${depth}`;
}

const units: Record<Table['kind'], string> = {
  regret: 'cumulative regret', normalised: 'regret in percent of Uniform\u2019s',
  time: 'CPU seconds per trial',
};

export class TableView {
  readonly element = h('div', {class: 'results'});
  private readonly place = h('div', {});
  private readonly sorting: Sorting;
  private readonly sortBy: HTMLSelectElement;
  private focusAfter: string | null = null;

  constructor(key: string, private table: Table,
              private differences: Map<string, Difference>) {
    this.sorting = state.sorting(key);
    this.sortBy = h('select', {
      'aria-label': `Number to sort by, ${table.title}`,
      change: () => {
        this.sorting.by = this.sortBy.value as Sorting['by'];
        this.sorting.column ??= 0;
        this.refresh();
      },
    }, h('option', {value: 'ours'}, 'ours'), h('option', {value: 'paper'}, 'the paper\u2019s'),
       h('option', {value: 'z'}, 'the difference'));
    this.sortBy.value = this.sorting.by;
    this.element.append(h('h3', {id: key}, table.title), this.place);
    this.refresh();
  }

  update(table: Table, differences: Map<string, Difference>): void {
    if (JSON.stringify(table) === JSON.stringify(this.table)) return;
    this.table = table;
    this.differences = differences;
    this.refresh();
  }

  refresh(): void {
    const {table} = this;
    const paper = table.cells.some((cell) => cell.paper !== null);
    const tinted = table.cells.some((cell) => cell.z !== null);
    const parts: (Node | null)[] = [];
    if (table.algorithms.length > 0 && table.problems.length > 0) {
      const element = h('table', {class: 'heat'}, h('caption', {}, this.caption(paper, tinted)),
                        h('thead', {}, this.head()), h('tbody', {}, ...this.rows()));
      startRoving(element);
      parts.push(
        paper ? h('p', {class: 'controls'}, h('label', {}, 'Columns sort by ', this.sortBy),
                  tinted ? this.tintKey() : null) : null,
        scrollFrame(table.title, element));
    }
    if (table.notes.length > 0) {
      parts.push(h('ul', {class: 'notes'}, ...table.notes.map((note) => h('li', {}, note))));
    }
    this.place.replaceChildren(...parts.filter((part): part is Node => part !== null));
    if (this.focusAfter !== null) {
      this.place.querySelector<HTMLElement>(`[data-sort="${this.focusAfter}"]`)?.focus();
      this.focusAfter = null;
    }
  }

  private caption(paper: boolean, tinted: boolean): string {
    const ranked = this.table.cells.some((cell) => cell.standing === 'best');
    return `Mean ${units[this.table.kind]} \u00b1 standard error.` +
      (ranked ? ' Bold: the lowest of its column; italic: at most two combined standard errors ' +
        'above it.' : '') +
      (this.table.kind !== 'time' && this.table.cells.some((cell) => cell.stuck)
        ? ' \u2020: the share of stuck trials (rounded up); such a mean is not marked.' : '') +
      (this.table.cells.some((cell) => cell.groups !== null)
        ? ' \u2021: two groups of trials far apart (Ashman\u2019s D above 6), so the mean ' +
          'describes neither.' : '') +
      (!paper ? '' : tinted
        ? ' Second line: the paper\u2019s, and the difference in combined standard errors.'
        : ' Second line: the paper\u2019s, and how many times as much (\u00d7) or less ' +
          '(\u00f7) ours is.');
  }

  private tintKey(): HTMLElement {
    const key = h('span', {class: 'key'}, h('span', {}, 'ours lower'));
    for (const side of ['less', 'more']) {
      const depths = side === 'less' ? [4, 3, 2, 1] : [1, 2, 3, 4];
      for (const depth of depths) {
        key.append(h('span', {class: `step ${side}-${depth}`}, String(bounds[depth - 1])));
      }
    }
    key.append(h('span', {}, 'ours higher, in standard errors'));
    return key;
  }

  private head(): HTMLElement {
    const {sorting, table} = this;
    const row = h('tr', {});
    const sortable = (column: number | null, name: string, more: Node | null) => {
      const active = sorting.column === column;
      const arrow = active && column !== null ? (sorting.descending ? ' \u25bc' : ' \u25b2') : '';
      const button = h('button', {type: 'button', class: 'sort', 'data-sort': column ?? 'name',
                                  click: () => this.sort(column)},
                       breakable(name), h('span', {'aria-hidden': 'true'}, arrow));
      const order = !active || column === null ? 'none'
        : sorting.descending ? 'descending' : 'ascending';
      row.append(h('th', {scope: 'col', 'aria-sort': order}, button, more));
    };
    sortable(null, 'algorithm', null);
    table.problems.forEach((problem, j) => sortable(j, problem,
      h('span', {class: 'quiet'}, `${steps(table.steps[j] ?? 0)} steps`)));
    return row;
  }

  private sort(column: number | null): void {
    const {sorting} = this;
    if (column === null) {
      sorting.column = null;
    } else if (sorting.column !== column) {
      sorting.column = column;
      sorting.descending = false;
    } else if (!sorting.descending) {
      sorting.descending = true;
    } else {
      sorting.column = null;
    }
    this.focusAfter = String(column ?? 'name');
    this.refresh();
  }

  private cell(i: number, j: number): TableCell {
    return this.table.cells[i * this.table.problems.length + j];
  }

  private show(value: Maybe, error: Maybe = null): string {
    return this.table.kind === 'time' ? secondsWithError(value, error) : withError(value, error);
  }

  // The comparison beside the paper's number. The machines differ, so times are compared by ratio.
  private beside(cell: TableCell): Child {
    if (cell.z !== null) {
      const why = cell.differs.length > 0 && Math.abs(cell.z) >= 2;
      return h('span', {class: 'z'}, standardErrors(cell.z), why ? h('sup', {}, '?') : null);
    }
    if (this.table.kind !== 'time' || cell.paper === null || !cell.mean) return null;
    return h('span', {class: 'z'}, timesLess(cell.paper.mean / cell.mean));
  }

  private order(): number[] {
    const {algorithms} = this.table;
    const {column, by, descending} = this.sorting;
    const places = algorithms.map((_, i) => i).filter((i) => state.visible(algorithms[i]));
    if (column === null || column >= this.table.problems.length) return places;
    const value = (i: number): Maybe => {
      const cell = this.cell(i, column);
      if (cell.trials === 0 && by !== 'paper') return null;
      return by === 'ours' ? cell.mean : by === 'z' ? cell.z : cell.paper?.mean ?? null;
    };
    // Empty cells come last in both directions.
    return places.sort((a, b) => {
      const [one, two] = [value(a), value(b)];
      if (one === null || two === null) return Number(one === null) - Number(two === null);
      return descending ? two - one : one - two;
    });
  }

  private rows(): HTMLElement[] {
    return this.order().map((i) => {
      const row = h('tr', {}, h('th', {scope: 'row'}, named(this.table.algorithms[i])));
      this.table.problems.forEach((_, j) => row.append(this.data(i, j)));
      return row;
    });
  }

  private data(i: number, j: number): HTMLElement {
    const cell = this.cell(i, j);
    const {paper} = cell;
    if (cell.trials === 0 && paper === null) return h('td', {class: 'nothing'}, '\u2013');
    const ours = cell.trials === 0 ? '\u2013' : withError(cell.mean, cell.sem) + this.marks(cell);
    const classes = [tint(cell.z), cell.standing === 'other' ? null : cell.standing];
    return h('td', {class: classes.filter((name) => name !== null).join(' ') || null},
      explainedCell(() => this.explain(i, j),
        h('span', {class: 'ours'}, ours),
        paper === null ? null : h('span', {class: 'paper'}, withError(paper.mean, paper.sem)),
        this.beside(cell)));
  }

  // Behind the number: the share of stuck trials, and whether the trials are of two kinds.
  private marks(cell: TableCell): string {
    if (this.table.kind === 'time') return '';
    const stuck = cell.stuck ? `\u2020${Math.ceil(100 * cell.stuck)} %` : '';
    const marks = stuck + (cell.groups === null ? '' : '\u2021');
    return marks === '' ? '' : ` ${marks}`;
  }

  private explain(i: number, j: number): Node {
    const {table} = this;
    const cell = this.cell(i, j);
    const failed = cell.failed > 0 ? `, ${count(cell.failed)} failed and not counted` : '';
    const rows: [string, Node | string][] = [
      ['settings', cell.agent_spec],
      ['problem', `${table.problem_specs[j] ?? ''}, ${count(table.steps[j] ?? 0)} steps`],
      ['trials', count(cell.trials) + failed],
      ['ours', this.show(cell.mean, cell.sem)],
    ];
    if (cell.low !== null) rows.push(['95 % interval (Student)',
                                       `${this.show(cell.low)} to ${this.show(cell.high)}`]);
    if (cell.median !== null) rows.push(['median', this.show(cell.median)]);
    if (table.kind === 'regret' && cell.stuck !== null) rows.push(['stuck', percent(cell.stuck)]);
    if (cell.groups !== null) rows.push(['two groups of trials', twoGroups(cell.groups)]);
    if (cell.paper !== null) {
      rows.push(['paper', this.show(cell.paper.mean, cell.paper.sem)]);
      if (cell.mean !== null && cell.paper.mean !== 0) {
        rows.push(['ours / paper', number(cell.mean / cell.paper.mean)]);
      }
    }
    if (cell.z !== null) {
      const size = Math.abs(cell.z);
      const word = size < 2 ? 'no more than chance' : size < 3 ? 'perhaps chance' : 'not chance';
      rows.push(['difference', `${standardErrors(cell.z)} standard errors: ${word}`]);
    }
    const title = h('span', {}, named(table.algorithms[i]), ` on ${table.problems[j]}`);
    return facts(title, rows, ...cell.differs.map((id) => this.reason(id)));
  }

  private reason(id: string): HTMLElement | null {
    const difference = this.differences.get(id);
    if (difference === undefined) return null;
    return h('p', {class: 'why'}, 'Differs: ',
      h('a', {href: `#difference-${id}`}, difference.title));
  }
}
