// The CPU time of a trial against its regret: a small mark for each problem, and a large one at the
// geometric mean over the problems.
import {named, scalesFor} from './algorithms';
import {horizontal, legend, vertical} from './axes';
import type {Canvas, Drawing, Json, Row} from './chart';
import {csvRow} from './dom';
import {number, seconds} from './format';
import type {TimeFigure} from './report';
import {type FigureChoices, state} from './state';
import {facts} from './tip';

interface Known {
  algorithm: string;
  problem: string;
  seconds: number;
  regret: number;
}

// Both axes may be logarithmic, so values that are not positive are left out.
function known(figure: TimeFigure): Known[] {
  return figure.points.flatMap(({algorithm, problem, seconds: time, regret}) =>
    (time !== null && regret !== null && time > 0 && regret > 0
      ? [{algorithm, problem, seconds: time, regret}] : []));
}

const geometricMean = (values: number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

// Moves labels up or down so that none lies on another. Pixels are estimates: the size of the plot
// is known, but the space for its axes only roughly.
function labelShifts(marks: {algorithm: string; seconds: number; regret: number}[],
                     points: Known[], canvas: Canvas, choices: FigureChoices,
                     height: number): number[] {
  const lineHeight = 15, letter = 7.2, gap = 10, padding = 12;
  const place = (pick: 'seconds' | 'regret', log: boolean, size: number) => {
    const of = (value: number) => (log ? Math.log(value) : value);
    const values = points.map((point) => of(point[pick]));
    const low = log ? Math.min(...values) : 0;
    const range = Math.max(...values) - low || 1;
    return (value: number) => padding + ((size - 2 * padding) * (of(value) - low)) / range;
  };
  const width = canvas.width - 60;
  const x = place('seconds', choices.logX, width);
  const y = place('regret', choices.logY, height);
  const labels = marks.map((mark) => {
    const at = x(mark.seconds);
    const room = Math.min(letter * mark.algorithm.length, Math.max(at, width - at) - gap);
    const left = at > width / 2 ? at - gap - room : at + gap;
    return {left, right: left + room, top: height - y(mark.regret)};
  });
  const placed: typeof labels = [];
  const steps = [0, ...marks.flatMap((_, i) => [i + 1, -i - 1])];
  return labels.map((label) => {
    const free = (top: number) => top >= lineHeight - 4 && top <= height - lineHeight / 2 &&
      placed.every((other) => Math.abs(other.top - top) >= lineHeight ||
                              other.left > label.right || other.right < label.left);
    const top = steps.map((step) => label.top + step * lineHeight).find(free) ?? label.top;
    placed.push({...label, top});
    return top - label.top;
  });
}

function centres(figure: TimeFigure) {
  const names = [...new Set(figure.points.map((point) => point.algorithm))];
  return names.filter((name) => state.visible(name)).flatMap((algorithm) => {
    const own = known(figure).filter((point) => point.algorithm === algorithm);
    if (own.length === 0) return [];
    return [{
      algorithm, problems: own.length, seconds: geometricMean(own.map((point) => point.seconds)),
      regret: geometricMean(own.map((point) => point.regret)),
    }];
  });
}

// A label stands on the side of its mark that has more room, and is cut short to fit there.
const place = "scale('x', datum.seconds)";
const inRightHalf = `${place} > width / 2`;

export function drawTimes(figure: TimeFigure, choices: FigureChoices, canvas: Canvas): Drawing {
  const names = [...new Set(figure.points.map((point) => point.algorithm))];
  const scales = scalesFor(names, canvas.palette.dark);
  const key = legend(canvas);
  const scale = (log: boolean): Json =>
    (log ? {type: 'log', nice: false, padding: 12} : {zero: true, nice: false, padding: 12});
  const x: Json = {
    field: 'seconds', type: 'quantitative', scale: scale(choices.logX),
    axis: horizontal(`CPU seconds per trial${choices.logX ? ' (log)' : ''}`, choices.logX,
                     // Long numbers near an end stay inside the figure.
                     {grid: true, labelFlush: 24}),
  };
  const y: Json = {
    field: 'regret', type: 'quantitative', scale: scale(choices.logY),
    axis: vertical(`${figure.axis}${choices.logY ? ' (log)' : ''}`, choices.logY),
  };
  const nominal = (kind: 'colour' | 'shape'): Json =>
    ({field: 'algorithm', type: 'nominal', scale: scales[kind], legend: key});
  const encoding = {x, y, color: nominal('colour'), shape: nominal('shape')};
  const tooltip = {content: 'data'};
  const middles = centres(figure);
  const height = choices.expanded ? 560 : 400;
  const visible = known(figure).filter((point) => state.visible(point.algorithm));
  const shifts = labelShifts(middles, visible, canvas, choices, height);
  return {
    height,
    zoomable: 'xy',
    data: {
      points: visible as unknown as Row[],
      centres: middles.map((mark, i) => ({...mark, shift: shifts[i] - 7})),
    },
    spec: {
      layer: [
        {
          data: {name: 'points'},
          mark: {type: 'point', filled: true, size: 36, opacity: 0.5, clip: true, tooltip},
          encoding,
        },
        {
          data: {name: 'centres'},
          mark: {type: 'point', filled: true, size: 190, opacity: 1, clip: true, tooltip,
                 stroke: canvas.palette.paper, strokeWidth: 1.5},
          encoding,
        },
        {
          data: {name: 'centres'},
          mark: {type: 'text', align: {expr: `${inRightHalf} ? 'right' : 'left'`},
                 dx: {expr: `${inRightHalf} ? -10 : 10`}, dy: {expr: 'datum.shift'},
                 limit: {expr: `max(${place}, width - ${place}) - 14`}, clip: true, tooltip: null,
                 fontWeight: 600, stroke: null},
          encoding: {x, y, text: {field: 'algorithm'}},
        },
      ],
    },
  };
}

export function tipOfTime(figure: TimeFigure, datum: Row): Node {
  const one = datum as unknown as Known & {problems?: number};
  const where = one.problem ?? `geometric mean of ${one.problems} problems`;
  return facts(named(one.algorithm), [
    ['on', where], ['time per trial', seconds(one.seconds)], [figure.axis, number(one.regret)],
  ]);
}

export function describeTimes(figure: TimeFigure): string {
  const all = centres(figure).sort((a, b) => a.seconds - b.seconds).map((one) =>
    `${one.algorithm} ${seconds(one.seconds)}, regret ${number(one.regret)}`);
  return `Geometric means over the problems, fastest first: ${all.join('; ')}.`;
}

export function csvTimes(figure: TimeFigure): string {
  return csvRow(['algorithm', 'problem', 'seconds', 'regret']) + figure.points.map((point) =>
    csvRow([point.algorithm, point.problem, point.seconds, point.regret])).join('');
}
