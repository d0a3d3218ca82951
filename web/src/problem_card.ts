// One problem: curves, distribution, comparisons and numbers.
import {named} from './algorithms';
import {type Card, cardFrame, folded} from './card';
import {scrollFrame} from './cells';
import {ComparisonPanel} from './comparison';
import {csvCurves, curvesHeight, describeCurves, drawCurves, guideCurves,
        trialsOf} from './curves';
import {csvDistribution, describeDistribution, drawDistribution, tipOfSeries} from './distribution';
import {h, toggle, type Toggle} from './dom';
import {count, interval, number, percent, seconds, steps} from './format';
import {choiceToggle, Plot} from './plot';
import {counted, type ProblemFigure} from './report';
import {rowsHeight} from './rows';
import {type FigureChoices, state} from './state';

// If some algorithms have thirty times the regret of others, a linear axis shows the low ones as
// flat lines.
function wideRange(figure: ProblemFigure): boolean {
  const means = figure.series.map((series) => series.final_mean.value ?? 0).filter((v) => v > 0);
  return means.length > 1 && Math.max(...means) > 30 * Math.min(...means);
}

function numbers(figure: ProblemFigure): HTMLElement {
  const columns = ['trials', 'mean', '95 % interval (Student)', 'median', 'middle half', 'lowest, highest',
                   'stuck', 'time per trial'];
  const head = h('tr', {}, h('th', {scope: 'col'}, 'algorithm'));
  for (const column of columns) head.append(h('th', {scope: 'col'}, column));
  const body = h('tbody', {});
  for (const one of figure.series) {
    if (!state.visible(one.algorithm)) continue;
    const row = h('tr', {}, h('th', {scope: 'row'}, named(one.algorithm)));
    const failed = one.failed > 0 ? ` (${count(one.failed)} failed)` : '';
    for (const text of [
      count(counted(one)) + failed, number(one.final_mean.value),
      interval(one.final_mean.low, one.final_mean.high), number(one.final_median),
      interval(one.q25, one.q75), interval(one.minimum, one.maximum), percent(one.stuck),
      seconds(one.seconds),
    ]) {
      row.append(h('td', {}, text));
    }
    body.append(row);
  }
  const caption = `Regret after ${count(figure.steps)} steps of ${figure.problem_spec}`;
  const table = h('table', {class: 'numbers'}, h('caption', {}, caption), h('thead', {}, head),
                  body);
  return scrollFrame(caption, table);
}

export class ProblemCard implements Card<ProblemFigure> {
  readonly element: HTMLElement;
  private readonly curves: Plot;
  private readonly distribution: Plot;
  private readonly toggles: Toggle[];
  private numbersPlace: HTMLElement | null = null;  // null until the reader opens the numbers
  private readonly about: HTMLElement;
  private readonly costs = h('p', {class: 'quiet costs'});
  private panel: ComparisonPanel | null = null;

  constructor(private figure: ProblemFigure) {
    const choices: FigureChoices = state.figure(figure.id, {
      logY: wideRange(figure), centre: figure.comparison.heavy_tails ? 'median' : 'mean',
    });
    const axes = () => {
      this.curves.forgetZoom();
      this.distribution.forgetZoom();
      this.redraw();
    };
    const logX = choiceToggle('log x', 'Logarithmic axis of steps', choices, 'logX', axes);
    const logY = choiceToggle('log y', 'Logarithmic axis of regret', choices, 'logY', axes);
    const redraw = () => this.redraw();
    const single = choiceToggle('trials', 'Single trials as thin lines', choices, 'single', redraw);
    const every = choiceToggle('every point', 'Extend the axis to the farthest trial', choices,
                               'everyPoint', redraw);
    const median = toggle('median', 'Medians instead of means with the band of Student\u2019s 95 % interval',
      () => choices.centre === 'median', () => {
        choices.centre = choices.centre === 'median' ? 'mean' : 'median';
        this.redraw();
      });
    this.toggles = [logX, logY, single, every, median];
    const hasSamples = figure.series.some((series) => series.sample.length > 0);

    this.curves = new Plot({
      key: 'curves',
      title: 'Regret by step',
      fullTitle: `Regret against step, ${figure.title}`,
      choices,
      height: () => curvesHeight(this.figure, choices),
      draw: (canvas) => drawCurves(this.figure, choices, canvas),
      summary: () => describeCurves(this.figure),
      guide: (x, y) => guideCurves(this.figure, choices, x, y),
      stops: () => this.figure.points,
      csv: () => csvCurves(this.figure),
      controls: [logX.element, logY.element, median.element,
                 ...(hasSamples ? [single.element] : [])],
    });
    this.distribution = new Plot({
      key: 'distribution',
      title: 'Final regret',
      fullTitle: `Distribution of final regret, ${figure.title}`,
      choices,
      height: () => rowsHeight(this.figure.series.length),
      draw: (canvas) => drawDistribution(this.figure, choices, canvas),
      summary: () => describeDistribution(this.figure, choices),
      tip: (datum) => tipOfSeries(this.figure, datum.algorithm),
      csv: () => csvDistribution(this.figure),
      controls: [every.element],
    });

    this.about = h('p', {class: 'about'});
    this.element = cardFrame(figure.id, figure.title, '', choices,
      () => [this.curves, this.distribution], this.about,
      h('div', {class: 'pair'}, this.curves.element, this.distribution.element), this.costs,
      figure.comparison.pairs.length === 0 ? null
        : folded('compare', 'Compare: paired differences, wins and tests', choices, () => {
          this.panel = new ComparisonPanel(this.figure, choices);
          return this.panel.element;
        }),
      folded('numbers', 'Numbers', choices, () => {
        this.numbersPlace = h('div', {}, numbers(this.figure));
        return this.numbersPlace;
      }));
    this.showText();
  }

  update(figure: ProblemFigure): void {
    this.figure = figure;
    this.showText();
    this.redraw();
    this.panel?.update(figure);
  }

  refresh(): void {
    for (const one of this.toggles) one.refresh();
    this.showText();
    this.redraw();
    this.panel?.refresh();
  }

  drawNow(): void {
    this.curves.drawNow();
    this.distribution.drawNow();
    this.panel?.drawNow();
  }

  destroy(): void {
    this.curves.destroy();
    this.distribution.destroy();
    this.panel?.destroy();
  }

  private redraw(): void {
    this.curves.refresh();
    this.distribution.refresh();
  }

  private showText(): void {
    const {note, problem_spec: spec, title} = this.figure;
    this.about.replaceChildren(...(spec === title ? [] : [h('code', {}, spec), ' \u00b7 ']),
      `${steps(this.figure.steps)} steps \u00b7 ${trialsOf(this.figure)}`,
      note === '' ? '' : ` \u00b7 ${note}`);
    this.costs.textContent = this.figure.costs;
    this.costs.hidden = this.figure.costs === '';
    this.numbersPlace?.replaceChildren(numbers(this.figure));
  }
}
