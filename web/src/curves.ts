// Regret against step: the mean with its 95 % band, or the median; single trials behind.
import {scalesFor, swatch} from './algorithms';
import {horizontal, legend, scaleType, vertical} from './axes';
import type {Canvas, Drawing, Json, Row} from './chart';
import {csvRow, h} from './dom';
import {count, interval, number, plural, steps} from './format';
import type {Guide} from './plot';
import {counted, type Maybe, type ProblemFigure, type Series} from './report';
import {rowsHeight} from './rows';
import {type FigureChoices, state} from './state';

const shown = (figure: ProblemFigure): Series[] =>
  figure.series.filter((series) => series.mean.length > 0 && state.visible(series.algorithm));

const curveOf = (series: Series, choices: FigureChoices): Maybe[] =>
  (choices.centre === 'mean' ? series.mean : series.median);

// With regret on a log axis and steps on a linear one, the first steps would be a vertical line
// that takes most of the height, so they are left out.
const firstStep = (figure: ProblemFigure, choices: FigureChoices): number =>
  (choices.logY && !choices.logX ? figure.steps / 200 : 0);

function lineRows(figure: ProblemFigure, choices: FigureChoices): Row[] {
  const rows: Row[] = [];
  const first = firstStep(figure, choices);
  for (const series of shown(figure)) {
    const curve = curveOf(series, choices);
    const band = choices.centre === 'mean' ? series : {low: null, high: null};
    figure.points.forEach((step, i) => {
      const value = curve[i];
      if (value === null || step < first || (choices.logY && value <= 0)) return;
      rows.push({
        algorithm: series.algorithm, step, value,
        low: band.low?.[i] ?? value, high: band.high?.[i] ?? value,
      });
    });
  }
  if (!choices.logY || rows.length === 0) return rows;
  // A log axis cannot show an interval that reaches below zero, so it ends at the lowest mean.
  const floor = Math.min(...rows.map((row) => row.value as number));
  return rows.map((row) => ({...row, low: Math.max(row.low as number, floor)}));
}

function singleRows(figure: ProblemFigure, choices: FigureChoices): Row[] {
  if (!choices.single) return [];
  const first = firstStep(figure, choices);
  return shown(figure).flatMap((series) => series.sample.flatMap((curve, k) =>
    figure.points.flatMap((step, i) => {
      const value = curve[i];
      if (value === null || step < first || (choices.logY && value <= 0)) return [];
      return [{algorithm: series.algorithm, trial: series.sample_trials[k], step, value}];
    })));
}

// A few points along every line for its marker, at different places for different lines.
function markerRows(figure: ProblemFigure, lines: Row[]): Row[] {
  const names = figure.series.map((series) => series.algorithm);
  const first = figure.points[0];
  const last = figure.points[figure.points.length - 1];
  return names.flatMap((name, k) => {
    const own = lines.filter((row) => row.algorithm === name);
    const places = [0, 1, 2, 3].map((i) =>
      first + ((last - first) * (i + (k + 1) / (names.length + 1))) / 4);
    return places.flatMap((place) => {
      const row = own.find((candidate) => (candidate.step as number) >= place);
      return row === undefined ? [] : [row];
    });
  });
}

// At least as high as the distribution beside it.
export const curvesHeight = (figure: ProblemFigure, choices: FigureChoices): number =>
  (choices.expanded ? 460 : Math.max(280, rowsHeight(figure.series.length)));

export function drawCurves(figure: ProblemFigure, choices: FigureChoices,
                           canvas: Canvas): Drawing {
  const names = figure.series.map((series) => series.algorithm);
  const scales = scalesFor(names, canvas.palette.dark);
  const x: Json = {
    field: 'step', type: 'quantitative', scale: scaleType(choices.logX),
    axis: horizontal(`step${choices.logX ? ' (log)' : ''}`, choices.logX),
  };
  const regret = `${choices.centre} cumulative regret${choices.logY ? ' (log)' : ''}`;
  const y: Json = {
    field: 'value', type: 'quantitative', scale: scaleType(choices.logY),
    axis: vertical(regret, choices.logY),
  };
  const key = legend(canvas);
  const color: Json = {field: 'algorithm', type: 'nominal', scale: scales.colour, legend: key};
  const lines = lineRows(figure, choices);
  return {
    height: curvesHeight(figure, choices),
    zoomable: 'xy',
    data: {
      lines, single: singleRows(figure, choices), markers: markerRows(figure, lines), guide: [],
    },
    spec: {
      layer: [
        {
          data: {name: 'single'},
          mark: {type: 'line', strokeWidth: 0.8, opacity: 0.4, clip: true, tooltip: null},
          encoding: {x, y, color, detail: {field: 'trial'}},
        },
        {
          data: {name: 'lines'},
          mark: {type: 'area', opacity: 0.2, clip: true, tooltip: null},
          encoding: {x, y: {...y, field: 'low'}, y2: {field: 'high'}, color},
        },
        {
          data: {name: 'lines'},
          mark: {type: 'line', strokeWidth: 1.8, clip: true, tooltip: null},
          encoding: {
            x, y, color,
            strokeDash: {field: 'algorithm', type: 'nominal', scale: scales.dash, legend: key},
          },
        },
        {
          data: {name: 'markers'},
          mark: {type: 'point', size: 34, filled: true, opacity: 1, clip: true, tooltip: null},
          encoding: {
            x, y, color,
            shape: {field: 'algorithm', type: 'nominal', scale: scales.shape, legend: key},
          },
        },
        {
          data: {name: 'guide'},
          transform: [{filter: 'datum.first'}],
          mark: {type: 'rule', color: canvas.palette.muted, strokeWidth: 1, tooltip: null},
          encoding: {x},
        },
        {
          data: {name: 'guide'},
          mark: {type: 'point', size: 44, filled: true, opacity: 1, clip: true, tooltip: null},
          encoding: {x, y, color},
        },
      ],
    },
  };
}

// The values of all curves at the step nearest to x, lowest regret first.
export function guideCurves(figure: ProblemFigure, choices: FigureChoices, x: number,
                            y: number): Guide | null {
  const {points} = figure;
  if (points.length === 0) return null;
  let i = 0;
  points.forEach((step, k) => {
    if (Math.abs(step - x) < Math.abs(points[i] - x)) i = k;
  });
  const lines = shown(figure).flatMap((series) => {
    const value = curveOf(series, choices)[i];
    return value === null || value === undefined ? [] : [{series, value}];
  });
  if (lines.length === 0) return null;
  lines.sort((a, b) => a.value - b.value);
  const distance = (value: number) =>
    (choices.logY ? Math.abs(Math.log(value / y)) : Math.abs(value - y));
  const nearest = Number.isNaN(y) ? null : lines.reduce(
    (best, line) => (distance(line.value) < distance(best.value) ? line : best));
  const body = h('tbody', {});
  for (const line of lines) {
    const {algorithm, low, high} = line.series;
    const known = choices.centre === 'mean' && low !== null && high !== null;
    body.append(h('tr', {class: line === nearest ? 'nearest' : null},
      h('th', {scope: 'row'}, swatch(algorithm), algorithm),
      h('td', {}, number(line.value)),
      h('td', {class: 'quiet'}, known ? interval(low[i], high[i]) : ''),
      h('td', {class: 'quiet'}, count(counted(line.series)))));
  }
  const content = h('div', {},
    h('p', {class: 'tip-title'}, `Step ${count(points[i])} `),
    h('table', {class: 'tip-table'},
      h('thead', {}, h('tr', {}, h('td', {}), h('th', {scope: 'col'}, choices.centre),
        h('th', {scope: 'col'}, choices.centre === 'mean' ? '95 % interval (Student)' : ''),
        h('th', {scope: 'col'}, 'trials'))),
      body));
  const drawn = points[i] >= firstStep(figure, choices) ? lines : [];
  const rows = drawn.filter((line) => !choices.logY || line.value > 0).map((line, k) => (
    {algorithm: line.series.algorithm, step: points[i], value: line.value, first: k === 0}));
  return {rows, content};
}

export function describeCurves(figure: ProblemFigure): string {
  const best = shown(figure).filter((series) => series.final_median !== null)
    .sort((a, b) => a.final_median! - b.final_median!);
  if (best.length === 0) return 'No algorithm is shown.';
  const order = best.map((series) => `${series.algorithm} ${number(series.final_median)}`);
  return `Median regret after ${steps(figure.steps)} steps, lowest first: ${order.join(', ')}. ` +
    'Arrow keys read the values step by step; plus, minus and 0 zoom.';
}

export function csvCurves(figure: ProblemFigure): string {
  const head = csvRow(['problem', 'algorithm', 'step', 'trials', 'mean', 'low', 'high', 'median']);
  return head + figure.series.map((series) => figure.points.map((step, i) => csvRow([
    figure.problem, series.algorithm, step, counted(series), series.mean[i] ?? null,
    series.low?.[i] ?? null, series.high?.[i] ?? null, series.median[i] ?? null,
  ])).join('')).join('');
}

export const trialsOf = (figure: ProblemFigure): string => {
  const counts = [...new Set(figure.series.map(counted))].sort((a, b) => a - b);
  if (counts.length === 0) return 'no trials';
  return counts.length === 1 ? plural(counts[0], 'trial')
    : `${count(counts[0])} to ${plural(counts[counts.length - 1], 'trial')}`;
};

