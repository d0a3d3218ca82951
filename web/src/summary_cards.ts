// Figures over many problems: against a parameter, ranks, time against regret.
import {type Card, cardFrame} from './card';
import type {Toggle} from './dom';
import {csvParameter, describeParameter, drawParameter, guideParameter,
        hasPaper} from './parameters';
import {choiceToggle, Plot, type PlotOptions} from './plot';
import {csvRanks, describeRanks, drawRanks, tipOfRank} from './ranks';
import type {ParameterFigure, RankFigure, TimeFigure} from './report';
import {rowsHeight} from './rows';
import {type FigureChoices, state} from './state';
import {csvTimes, describeTimes, drawTimes, tipOfTime} from './times';
import {plural} from './format';

type PlotParts = Omit<PlotOptions, 'fullTitle' | 'choices' | 'controls'>;
type ToggleName = 'logX' | 'logY' | 'paper';

// A card with one plot.
class SummaryCard<T extends {id: string; title: string}> implements Card<T> {
  readonly element: HTMLElement;
  private readonly plot: Plot;
  private readonly toggles: Toggle[];

  constructor(private figure: T, choices: FigureChoices, about: string, names: ToggleName[],
              parts: (current: () => T) => PlotParts) {
    const words: Record<ToggleName, [string, string]> = {
      logX: ['log x', 'Logarithmic horizontal axis'],
      logY: ['log y', 'Logarithmic vertical axis'],
      paper: ['paper', 'The paper\u2019s numbers as hollow marks'],
    };
    this.toggles = names.map((name) => choiceToggle(...words[name], choices, name, () => {
      this.plot.forgetZoom();
      this.plot.refresh();
    }));
    this.plot = new Plot({
      ...parts(() => this.figure), choices, fullTitle: figure.title,
      controls: this.toggles.map((one) => one.element),
    });
    this.element = cardFrame(figure.id, figure.title, about, choices, () => [this.plot],
                             this.plot.element);
  }

  update(figure: T): void {
    this.figure = figure;
    this.plot.refresh();
  }

  refresh(): void {
    for (const one of this.toggles) one.refresh();
    this.plot.refresh();
  }

  drawNow(): void {
    this.plot.drawNow();
  }

  destroy(): void {
    this.plot.destroy();
  }
}

export function parameterCard(figure: ParameterFigure): Card<ParameterFigure> {
  const choices = state.figure(figure.id);
  const paper = hasPaper(figure);
  const about =
    `Means with Student\u2019s 95 % intervals${paper ? '; hollow marks: the paper\u2019s means' : ''}.`;
  return new SummaryCard(figure, choices, about, paper ? ['logY', 'paper'] : ['logY'], (now) => ({
    key: 'parameter',
    height: () => (choices.expanded ? 520 : 360),
    draw: (canvas) => drawParameter(now(), choices, canvas),
    summary: () => describeParameter(now()),
    guide: (x) => guideParameter(now(), x),
    stops: () => now().values,
    csv: () => csvParameter(now()),
  }));
}

export function rankCard(figure: RankFigure): Card<RankFigure> {
  const about = `Over ${plural(figure.ranks.problems.length, 'problem')}: a large mark is the ` +
    'mean rank with its 95 % bootstrap interval (percentile), a small one the rank on one problem.';
  return new SummaryCard(figure, state.figure(figure.id), about, [], (now) => ({
    key: 'ranks',
    zooms: false,
    height: () => rowsHeight(now().ranks.algorithms.length),
    draw: (canvas) => drawRanks(now(), canvas),
    summary: () => describeRanks(now()),
    tip: (datum) => tipOfRank(now(), datum.algorithm),
    csv: () => csvRanks(now()),
  }));
}

export function timeCard(figure: TimeFigure): Card<TimeFigure> {
  const choices = state.figure(figure.id, {logX: true, logY: true});
  const about = 'Down and left is better. A small mark is one problem, a large one the geometric ' +
    'mean over all problems.';
  return new SummaryCard(figure, choices, about, ['logX', 'logY'], (now) => ({
    key: 'times',
    height: () => (choices.expanded ? 560 : 400),
    draw: (canvas) => drawTimes(now(), choices, canvas),
    summary: () => describeTimes(now()),
    tip: (datum) => tipOfTime(now(), datum),
    csv: () => csvTimes(now()),
  }));
}
