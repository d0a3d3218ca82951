// What the reader has chosen. It outlives the figures, which are rebuilt when a live run gets new
// problems or algorithms.
export type Centre = 'mean' | 'median';
export type Range = [number, number];

export interface FigureChoices {
  logX: boolean;
  logY: boolean;
  single: boolean;  // single trials as thin lines
  centre: Centre;
  everyPoint: boolean;  // the distribution's axis reaches the farthest trial
  paper: boolean;
  expanded: boolean;
  zoom: Record<string, {x: Range | null; y: Range | null}>;  // by plot
  open: Record<string, boolean>;                             // by folded part
}

// How a table is sorted: by which column, and by which number of its cells.
export interface Sorting {
  column: number | null;  // null: in the order of the report
  by: 'ours' | 'paper' | 'z';
  descending: boolean;
}

export type Change = 'algorithms' | 'theme' | 'figures' | 'reference';

class State {
  private readonly hiddenNames = new Set<string>();
  private readonly figures = new Map<string, FigureChoices>();
  private readonly sortings = new Map<string, Sorting>();
  private readonly listeners = new Set<(change: Change) => void>();
  private referenceName: string | null = null;

  // `initial` is used only at the first call for a figure.
  figure(id: string, initial: Partial<FigureChoices> = {}): FigureChoices {
    let choices = this.figures.get(id);
    if (choices === undefined) {
      choices = {
        logX: false, logY: false, single: false, centre: 'mean', everyPoint: false, paper: true,
        expanded: false, zoom: {}, open: {}, ...initial,
      };
      this.figures.set(id, choices);
    }
    return choices;
  }

  sorting(table: string): Sorting {
    let sorting = this.sortings.get(table);
    if (sorting === undefined) {
      sorting = {column: null, by: 'ours', descending: false};
      this.sortings.set(table, sorting);
    }
    return sorting;
  }

  setAllFigures(change: Partial<FigureChoices>): void {
    for (const choices of this.figures.values()) {
      Object.assign(choices, change);
      if ('logX' in change || 'logY' in change) choices.zoom = {};
    }
    this.tell('figures');
  }

  visible(algorithm: string): boolean {
    return !this.hiddenNames.has(algorithm);
  }

  setVisible(algorithms: string[], visible: boolean): void {
    for (const name of algorithms) {
      if (visible) this.hiddenNames.delete(name);
      else this.hiddenNames.add(name);
    }
    this.tell('algorithms');
  }

  get reference(): string | null {
    return this.referenceName;
  }
  set reference(algorithm: string | null) {
    this.referenceName = algorithm;
    this.tell('reference');
  }

  listen(listener: (change: Change) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  tell(change: Change): void {
    for (const listener of [...this.listeners]) listener(change);
  }
}

export const state = new State();
