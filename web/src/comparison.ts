// Paired comparisons on one problem: differences to a reference, and the matrix of all pairs.
import {named} from './algorithms';
import {explainedCell, scrollFrame, startRoving} from './cells';
import {breakable, h, toggle} from './dom';
import {count, number} from './format';
import {type Against, against, csvForest, describeForest, drawForest, isSignificant,
        tipOfPair} from './forest';
import {Plot} from './plot';
import type {ProblemComparison, ProblemFigure} from './report';
import {rowsHeight} from './rows';
import {type Centre, type FigureChoices, state} from './state';

// Four shades on both sides of "wins as often as it loses"; the text of the cell says the same.
function tint(one: Against): string | null {
  const decided = one.wins + one.losses;
  if (decided === 0) return null;
  const lead = (one.wins - one.losses) / decided;
  const depth = Math.min(4, Math.ceil(Math.abs(lead) * 4));
  return depth === 0 ? null : `${lead > 0 ? 'less' : 'more'}-${depth}`;
}

function matrix(comparison: ProblemComparison): HTMLElement {
  const names = comparison.algorithms.filter((name) => state.visible(name));
  const head = h('tr', {}, h('th', {scope: 'col'}, 'row against column'));
  for (const name of names) head.append(h('th', {scope: 'col'}, breakable(name)));
  const body = h('tbody', {});
  for (const row of names) {
    const line = h('tr', {}, h('th', {scope: 'row'}, named(row)));
    for (const column of names) {
      const one = row === column ? null : against(comparison, row, column);
      if (one === null) {
        line.append(h('td', {class: 'nothing'}, row === column ? '\u2013' : ''));
        continue;
      }
      const star = isSignificant(one) ? h('span', {class: 'star'}, '*') : null;
      line.append(h('td', {class: tint(one)}, explainedCell(() => tipOfPair(one),
        `${count(one.wins)} / ${count(one.ties)} / ${count(one.losses)}`, star)));
    }
    body.append(line);
  }
  const table = h('table', {class: 'matrix'},
    h('caption', {}, 'Wins / ties / losses of the row against the column, trial by trial; ' +
      'less regret wins. * is a difference that is significant at 0.05: Wilcoxon\u2019s ' +
      'signed-rank test, two-sided, with Holm\u2019s correction for all pairs of this problem.'),
    h('thead', {}, head), body);
  startRoving(table);
  return scrollFrame(`Wins, ties and losses on ${comparison.problem}`, table);
}

export class ComparisonPanel {
  readonly element = h('div', {class: 'comparison'});
  private readonly plot: Plot;
  private readonly matrixPlace = h('div', {});
  private readonly choose: HTMLSelectElement;
  private readonly remark = h('p', {class: 'quiet'});
  private centre: Centre;

  constructor(private figure: ProblemFigure, choices: FigureChoices) {
    this.centre = figure.comparison.heavy_tails ? 'median' : 'mean';
    this.choose = h('select', {
      'aria-label': `Reference algorithm on ${figure.title}`,
      change: () => { state.reference = this.choose.value; },
    });
    const median = toggle('median', 'Medians of the differences instead of means',
      () => this.centre === 'median', () => {
        this.centre = this.centre === 'median' ? 'mean' : 'median';
        this.plot.forgetZoom();
        this.plot.refresh();
      });
    this.plot = new Plot({
      key: 'forest',
      title: 'Paired differences, with 95 % bootstrap intervals',
      fullTitle: `Paired differences of regret, ${figure.title}`,
      choices,
      height: () => rowsHeight(this.figure.comparison.algorithms.length - 1),
      draw: (canvas) => drawForest(this.comparison, this.reference, this.centre, canvas),
      summary: () => describeForest(this.comparison, this.reference, this.centre),
      tip: (datum) => {
        const one = against(this.comparison, String(datum.algorithm), this.reference);
        return one === null ? null : tipOfPair(one);
      },
      csv: () => csvForest(this.comparison),
      controls: [median.element],
    });
    this.element.append(
      h('p', {class: 'controls'}, h('label', {}, 'Reference ', this.choose)), this.remark,
      this.plot.element, this.matrixPlace);
    this.update(figure);
  }

  update(figure: ProblemFigure): void {
    this.figure = figure;
    this.choose.replaceChildren(
      ...this.comparison.algorithms.map((name) => h('option', {value: name}, name)));
    const {heavy, heavy_tails: tails, resamples} = this.comparison;
    this.remark.textContent =
      'Left of zero is less regret than the reference, in the same trials. Filled dots: ' +
      `significant at 0.05 (signed-rank test, Holm). Intervals: 95 % bootstrap (BCa), ` +
      `${number(resamples)} resamples.` +
      (tails ? ` A few trials dominate the mean of ${heavy.join(', ') || 'some algorithms'}: use ` +
        'the medians.' : '');
    this.refresh();
  }

  refresh(): void {
    this.choose.value = this.reference;
    this.matrixPlace.replaceChildren(matrix(this.comparison));
    this.plot.refresh();
  }

  drawNow(): void {
    this.plot.drawNow();
  }

  destroy(): void {
    this.plot.destroy();
  }

  private get comparison(): ProblemComparison {
    return this.figure.comparison;
  }

  // The reference that the reader chose on any problem, or the lowest median on this one.
  private get reference(): string {
    const {algorithms} = this.comparison;
    if (state.reference !== null && algorithms.includes(state.reference)) return state.reference;
    const median = new Map(
      this.figure.series.map((series) => [series.algorithm, series.final_median ?? Infinity]));
    return algorithms.reduce((best, name) =>
      ((median.get(name) ?? Infinity) < (median.get(best) ?? Infinity) ? name : best),
      algorithms[0]);
  }
}
