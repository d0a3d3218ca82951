// Final regret against a parameter of the problem: ours, and the paper's.
import {scalesFor, swatch} from './algorithms';
import {horizontal, legend, vertical} from './axes';
import type {Canvas, Drawing, Json, Row} from './chart';
import {csvRow, h} from './dom';
import {interval, number, withError} from './format';
import type {Guide} from './plot';
import type {ParameterFigure} from './report';
import {type FigureChoices, state} from './state';

const shown = (figure: ParameterFigure) =>
  figure.lines.filter((line) => state.visible(line.algorithm));

export const hasPaper = (figure: ParameterFigure): boolean =>
  figure.lines.some((line) => line.paper.some((value) => value !== null));

function lineRows(figure: ParameterFigure, log: boolean): Row[] {
  return shown(figure).flatMap((line) => figure.values.flatMap((at, i) => {
    const {value, low, high} = line.regret[i];
    if (value === null || (log && value <= 0)) return [];
    return [{algorithm: line.algorithm, at, value,
             low: Math.max(log ? value / 10 : -Infinity, low ?? value), high: high ?? value}];
  }));
}

function paperRows(figure: ParameterFigure, log: boolean): Row[] {
  return shown(figure).flatMap((line) => figure.values.flatMap((at, i) => {
    const value = line.paper[i]?.mean ?? null;
    return value === null || (log && value <= 0) ? [] : [{algorithm: line.algorithm, at, value}];
  }));
}

export function drawParameter(figure: ParameterFigure, choices: FigureChoices,
                              canvas: Canvas): Drawing {
  const scales = scalesFor(figure.lines.map((line) => line.algorithm), canvas.palette.dark);
  const key = legend(canvas);
  const scale: Json =
    choices.logY ? {type: 'log', nice: false, padding: 8} : {zero: true, nice: true};
  const x: Json = {
    field: 'at', type: 'quantitative', scale: {zero: false, nice: false, padding: 10},
    axis: horizontal(figure.parameter, false, {values: figure.values, labelFlush: false}),
  };
  const y = (field: string): Json => ({
    field, type: 'quantitative', scale,
    axis: vertical(`${figure.axis}${choices.logY ? ' (log)' : ''}`, choices.logY),
  });
  const nominal = (kind: 'colour' | 'dash' | 'shape'): Json =>
    ({field: 'algorithm', type: 'nominal', scale: scales[kind], legend: key});
  const layer = (data: string, mark: Json, encoding: Json): Json =>
    ({data: {name: data}, mark: {clip: true, tooltip: null, ...mark}, encoding});
  const color = nominal('colour');
  const shape = nominal('shape');
  return {
    height: choices.expanded ? 520 : 360,
    zoomable: 'xy',
    data: {
      lines: lineRows(figure, choices.logY),
      paper: choices.paper ? paperRows(figure, choices.logY) : [],
      guide: [],
    },
    spec: {
      layer: [
        layer('paper', {type: 'line', strokeWidth: 0.8, opacity: 0.5},
              {x, y: y('value'), color: {...color, legend: null}}),
        layer('paper', {type: 'point', filled: false, size: 50, strokeWidth: 1.2, opacity: 0.75},
              {x, y: y('value'), color: {...color, legend: null}, shape: {...shape, legend: null}}),
        layer('lines', {type: 'rule', strokeWidth: 1.6},
              {x, y: y('low'), y2: {field: 'high'}, color}),
        layer('lines', {type: 'line', strokeWidth: 1.8},
              {x, y: y('value'), color, strokeDash: nominal('dash')}),
        layer('lines', {type: 'point', filled: true, size: 54, opacity: 1},
              {x, y: y('value'), color, shape}),
        layer('guide', {type: 'rule', color: canvas.palette.muted, strokeWidth: 1}, {x}),
      ],
    },
  };
}

export function guideParameter(figure: ParameterFigure, x: number): Guide | null {
  if (figure.values.length === 0) return null;
  const i = figure.values.reduce((best, value, k) =>
    (Math.abs(value - x) < Math.abs(figure.values[best] - x) ? k : best), 0);
  const lines = shown(figure).filter((line) => line.regret[i].value !== null)
    .sort((a, b) => a.regret[i].value! - b.regret[i].value!);
  if (lines.length === 0) return null;
  const paper = hasPaper(figure);
  const body = h('tbody', {});
  for (const line of lines) {
    const {value, low, high} = line.regret[i];
    const one = line.paper[i] ?? null;
    const theirs = one === null ? '' : withError(one.mean, one.sem);
    body.append(h('tr', {},
      h('th', {scope: 'row'}, swatch(line.algorithm), line.algorithm),
      h('td', {}, number(value)),
      h('td', {class: 'quiet'}, interval(low, high)),
      paper ? h('td', {class: 'quiet'}, theirs) : null));
  }
  const head = h('tr', {}, h('td', {}), h('th', {scope: 'col'}, 'mean'),
    h('th', {scope: 'col'}, '95 % interval (Student)'), paper ? h('th', {scope: 'col'}, 'paper') : null);
  return {
    rows: [{at: figure.values[i]}],
    content: h('div', {},
      h('p', {class: 'tip-title'}, `${figure.parameter} ${figure.values[i]} `),
      h('table', {class: 'tip-table'}, h('thead', {}, head), body)),
  };
}

export function describeParameter(figure: ParameterFigure): string {
  const range = `${figure.parameter} ${figure.values.join(', ')}`;
  const all = shown(figure).map((line) =>
    `${line.algorithm} ${line.regret.map((one) => number(one.value)).join(', ')}`);
  return `At ${range}: ${all.join('; ')}. Arrow keys read the values.`;
}

export function csvParameter(figure: ParameterFigure): string {
  const head = csvRow([figure.parameter, 'algorithm', 'mean', 'low', 'high', 'paper_mean',
                       'paper_sem']);
  return head + figure.lines.map((line) => figure.values.map((at, i) => csvRow([
    at, line.algorithm, line.regret[i].value, line.regret[i].low, line.regret[i].high,
    line.paper[i]?.mean ?? null, line.paper[i]?.sem ?? null,
  ])).join('')).join('');
}
