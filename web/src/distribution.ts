// The distribution of final regret: box, whiskers and points of every algorithm.
import {named, scalesFor} from './algorithms';
import {horizontal} from './axes';
import type {Canvas, Drawing, Json, Row} from './chart';
import {csvRow} from './dom';
import {count, interval, number, percent, seconds, twoGroups} from './format';
import {counted, type ProblemFigure, type Series} from './report';
import {place, rowLabels, rowPlaces, rowSensor, rowsHeight, slotsFor} from './rows';
import {type FigureChoices, state} from './state';
import {facts} from './tip';

function shown(figure: ProblemFigure, choices: FigureChoices): Series[] {
  const middle = (series: Series) =>
    (choices.centre === 'mean' ? series.final_mean.value! : series.final_median!);
  return figure.series
    .filter((series) => series.final_mean.value !== null && state.visible(series.algorithm))
    .sort((a, b) => middle(a) - middle(b));
}

// A few trials may be stuck at forty times the regret of all others. Unless the reader asks for
// every point, the axis ends where the whiskers and means end, and the rows say what lies beyond.
// Points that are not far beyond are shown anyway.
function farthest(series: Series[], choices: FigureChoices): number {
  const largest = Math.max(...series.map((one) => one.maximum!));
  const usual = Math.max(...series.flatMap((one) => [one.whisker_high!, one.final_mean.value!]));
  const smallest = Math.min(...series.map((one) => one.minimum!));
  return choices.everyPoint || largest - usual < 0.4 * (usual - smallest) ? largest : usual;
}

// Evenly spread in [-1, 1], the same in every drawing.
const spread = (i: number): number => 2 * ((i * 0.6180339887) % 1) - 1;

function remark(series: Series, end: number): string {
  if (series.maximum === null || series.maximum <= end) return '';
  const beyond = series.points.filter((value) => value > end).length;
  const most = `up to ${number(series.maximum)} \u2192`;
  // A sample of the points always has the ten highest.
  return series.all_points || beyond < 10 ? `${count(beyond)} beyond, ${most}` : most;
}

export function drawDistribution(figure: ProblemFigure, choices: FigureChoices,
                                 canvas: Canvas): Drawing {
  const series = shown(figure, choices);
  const slots = slotsFor(series.length, figure.series.length, canvas);
  const end = series.length > 0 ? farthest(series, choices) : 1;
  const positive = series.flatMap((one) => [...one.points, one.minimum!]).filter((v) => v > 0);
  const start = choices.logY ? Math.min(end, ...positive) : -Infinity;
  const clamp = (value: number | null) => Math.max(start, Math.min(end, value!));
  const rows = series.map((one, i): Row => ({
    ...rowPlaces(i), algorithm: one.algorithm, remark: remark(one, end),
    minimum: clamp(one.minimum), maximum: clamp(one.maximum),
    whisker_low: clamp(one.whisker_low), whisker_high: clamp(one.whisker_high),
    q25: clamp(one.q25), q75: clamp(one.q75), median: clamp(one.final_median),
    mean: clamp(one.final_mean.value),
  }));
  const points = series.flatMap((one, i) => one.points
    .filter((value) => value >= start && value <= end)
    .map((value, k) => ({algorithm: one.algorithm, value, place: i + 0.68 + 0.17 * spread(k)})));

  const scales = scalesFor(figure.series.map((one) => one.algorithm), canvas.palette.dark);
  const color: Json = {field: 'algorithm', type: 'nominal', scale: scales.colour, legend: null};
  const scale: Json = choices.logY
    ? {type: 'log', nice: false, padding: 6}
    : {type: 'linear', nice: false, zero: false, padding: 6};
  const x = (field: string): Json => ({
    field, type: 'quantitative', scale,
    axis: horizontal(`final regret${choices.logY ? ' (log)' : ''}`, choices.logY,
                     {tickCount: 4, grid: true}),
  });
  const y = (field: string): Json => place(field, slots);
  const layer = (mark: Json, encoding: Json, data = 'rows'): Json =>
    ({data: {name: data}, mark: {clip: true, tooltip: null, ...mark}, encoding});
  return {
    height: rowsHeight(slots),
    zoomable: 'x',
    data: {rows, points},
    spec: {
      layer: [
        layer({type: 'circle', size: 7, opacity: points.length > 1000 ? 0.25 : 0.45},
              {x: x('value'), y: y('place'), color}, 'points'),
        layer({type: 'rule', strokeWidth: 1.2},
              {x: x('whisker_low'), x2: {field: 'whisker_high'}, y: y('middle'), color}),
        layer({type: 'rect', fillOpacity: 0.25, strokeWidth: 1.2, strokeOpacity: 1},
              {x: x('q25'), x2: {field: 'q75'}, y: y('upper'), y2: {field: 'lower'}, color,
               stroke: color}),
        layer({type: 'rule', strokeWidth: 2.4, color: canvas.palette.ink},
              {x: x('median'), y: y('upper'), y2: {field: 'lower'}}),
        layer({type: 'point', filled: true, size: 40, opacity: 1, stroke: canvas.palette.paper,
               strokeWidth: 1},
              {x: x('mean'), y: y('middle'), color,
               shape: {field: 'algorithm', type: 'nominal', scale: scales.shape, legend: null}}),
        ...rowLabels(rows, slots, canvas),
        rowSensor(slots),
      ],
    },
  };
}

export function tipOfSeries(figure: ProblemFigure, algorithm: unknown): Node | null {
  const series = figure.series.find((one) => one.algorithm === algorithm);
  if (series === undefined) return null;
  const {final_mean: mean} = series;
  const failed = series.failed > 0 ? `, ${count(series.failed)} failed and not counted` : '';
  return facts(named(series.algorithm), [
    ['trials', `${count(counted(series))} of ${count(series.asked)}${failed}`],
    ['mean', number(mean.value)],
    ['95 % interval (Student)', interval(mean.low, mean.high)],
    ['median', number(series.final_median)],
    ['middle half', interval(series.q25, series.q75)],
    ['lowest, highest', interval(series.minimum, series.maximum)],
    ['stuck', percent(series.stuck)],
    ...(series.groups === null ? []
      : [['two groups of trials', twoGroups(series.groups)] as [string, string]]),
    ['time per trial', seconds(series.seconds)],
    ['settings', series.agent_spec],
  ]);
}

export function describeDistribution(figure: ProblemFigure, choices: FigureChoices): string {
  const all = shown(figure, choices).map((series) =>
    `${series.algorithm} median ${number(series.final_median)}, ` +
    `middle half ${interval(series.q25, series.q75)}`);
  return all.length > 0 ? `${all.join('; ')}.` : 'No algorithm is shown.';
}

export function csvDistribution(figure: ProblemFigure): string {
  return csvRow(['problem', 'algorithm', 'final_regret']) + figure.series.map((series) =>
    series.points.map((value) => csvRow([figure.problem, series.algorithm, value])).join('')
  ).join('');
}
