// The whole page: heading, bar, sections. An update keeps the sections if it can, and otherwise
// rebuilds all of them. The reader's choices are in `state` and stay.
import {setStyles} from './algorithms';
import {Bar, followSections} from './bar';
import type {Card} from './card';
import {h} from './dom';
import {count, plural, time} from './format';
import {ProblemCard} from './problem_card';
import type {Difference, Report, ReportRun, ReportSection} from './report';
import {state} from './state';
import {parameterCard, rankCard, timeCard} from './summary_cards';
import {TableView} from './table_view';
import {setPrinting} from './theme';
import {theoryTable} from './theory_view';

type AnyCard = Card<never>;

// An update in place is possible if this stays the same.
function skeleton(report: Report): string {
  const ids = (list: {id: string}[]) => list.map((one) => one.id);
  return JSON.stringify([
    report.algorithms, report.differences, report.theory,
    report.sections.map((section) => [
      section.id, section.title, section.text, ids(section.parameters), ids(section.ranks),
      ids(section.times), section.tables.map((table) => table.title),
      section.problems.map((one) => [one.id, one.series.map((series) => series.algorithm),
                                     one.comparison.pairs.length]),
    ]),
  ]);
}

function runLine(run: ReportRun): HTMLElement {
  const trials = run.trials === run.asked ? plural(run.trials, 'trial')
    : `${count(run.trials)} of ${plural(run.asked, 'trial')}`;
  const facts = [trials, `seed ${run.seed}`, `sau ${run.version}`, run.machine,
                 run.finished === '' ? '' : `finished ${time(run.finished)}`];
  return h('li', {}, h('code', {}, run.folder), ' \u00b7 ',
    facts.filter((fact) => fact !== '').join(' \u00b7 '));
}

export class Page {
  private readonly heading = h('header', {class: 'heading'});
  private readonly main = h('main', {});
  private readonly footer = h('footer', {});
  private readonly bar = new Bar();
  private shape = '';
  private cards = new Map<string, AnyCard>();
  private tables = new Map<string, TableView>();
  private stopFollowing = () => {};

  constructor(private report: Report, root: HTMLElement) {
    setStyles(report.algorithms);
    root.append(h('a', {class: 'skip', href: '#content'}, 'Skip to the figures'), this.heading,
                this.bar.element, this.main, this.footer);
    this.main.id = 'content';
    this.build();
    state.listen(() => {
      for (const card of this.cards.values()) card.refresh();
      for (const table of this.tables.values()) table.refresh();
    });
    window.addEventListener('beforeprint', () => this.print(true));
    window.addEventListener('afterprint', () => this.print(false));
  }

  get status(): HTMLElement {
    return this.bar.status;
  }

  update(report: Report): void {
    this.report = report;
    setStyles(report.algorithms);
    if (skeleton(report) !== this.shape) {
      const top = window.scrollY;
      this.build();
      window.scrollTo({top, behavior: 'instant' as ScrollBehavior});
      return;
    }
    this.fillHeading();
    const reasons = this.reasons();
    for (const section of report.sections) {
      for (const list of this.figures(section)) {
        for (const figure of list) this.cards.get(figure.id)?.update(figure as never);
      }
      section.tables.forEach((table, i) =>
        this.tables.get(`table-${section.id}-${i}`)?.update(table, reasons));
    }
  }

  private build(): void {
    for (const card of this.cards.values()) card.destroy();
    this.cards.clear();
    this.tables.clear();
    this.stopFollowing();
    this.shape = '';  // until all is built: after an error the next update builds it again
    this.fillHeading();
    const nav = this.bar.update(this.report);
    this.main.replaceChildren(...this.report.sections.map((section) => this.section(section)));
    if (this.report.sections.length === 0) {
      this.main.append(h('p', {class: 'lead nothing-yet'}, 'No trial is finished yet.'));
    }
    if (this.report.theory.length > 0) this.main.append(this.theory());
    if (this.report.differences.length > 0) this.main.append(this.differences());
    this.footer.replaceChildren(h('p', {},
      `Made by sau ${this.report.version}. Figures are drawn with Vega-Lite; the licences of the ` +
      'packages in this page are at the end of its source.'));
    this.stopFollowing = followSections(nav, this.main.querySelectorAll('section'));
    this.shape = skeleton(this.report);
  }

  private fillHeading(): void {
    const {title, notes, runs} = this.report;
    document.title = title;
    this.heading.replaceChildren(h('h1', {}, title),
                                 h('ul', {class: 'runs'}, ...runs.map(runLine)));
    if (notes.length === 0) return;
    this.heading.append(h('aside', {class: 'must-see', 'aria-label': 'Important notes'},
      h('ul', {}, ...notes.map((note) => h('li', {}, note)))));
  }

  private figures(section: ReportSection): {id: string}[][] {
    return [section.parameters, section.problems, section.ranks, section.times];
  }

  private section(section: ReportSection): HTMLElement {
    const makers = [parameterCard, (one: never) => new ProblemCard(one), rankCard, timeCard] as
      ((figure: never) => AnyCard)[];
    const grid = h('div', {class: 'grid'});
    this.figures(section).forEach((list, kind) => {
      for (const figure of list) {
        const card = makers[kind](figure as never);
        this.cards.set(figure.id, card);
        grid.append(card.element);
      }
    });
    const reasons = this.reasons();
    const tables = section.tables.map((table, i) => {
      const key = `table-${section.id}-${i}`;
      const view = new TableView(key, table, reasons);
      this.tables.set(key, view);
      return view.element;
    });
    return this.frame(`section-${section.id}`, section.title, section.text,
                      ...(grid.childElementCount > 0 ? [grid] : []), ...tables);
  }

  private frame(id: string, title: string, text: string, ...children: Node[]): HTMLElement {
    return h('section', {id, 'aria-labelledby': `${id}-title`},
      h('h2', {id: `${id}-title`}, title),
      text === '' ? null : h('p', {class: 'lead'}, text), ...children);
  }

  private theory(): HTMLElement {
    return this.frame('section-theory-checks', 'Theory',
      'The paper\u2019s statements about SAU, each checked by a number.',
      theoryTable(this.report.theory));
  }

  private differences(): HTMLElement {
    const list = this.report.differences.map(({id, title, text}) =>
      h('article', {class: 'difference', id: `difference-${id}`}, h('h3', {}, title),
        h('p', {}, text)));
    return this.frame('section-differences', 'What differs from the paper, and why',
      'Table cells with a question mark link here.', ...list);
  }

  private reasons(): Map<string, Difference> {
    return new Map(this.report.differences.map((one) => [one.id, one]));
  }

  // Printing needs all figures, also those not drawn yet, in light colours.
  private print(on: boolean): void {
    setPrinting(on);
    state.tell('theme');
    if (on) for (const card of this.cards.values()) card.drawNow();
  }
}
