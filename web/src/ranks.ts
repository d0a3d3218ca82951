// The mean rank of every algorithm over the problems, and its rank on each of them.
import {named, scalesFor} from './algorithms';
import {horizontal} from './axes';
import type {Canvas, Drawing, Json, Row} from './chart';
import {csvRow} from './dom';
import {interval, number, plural} from './format';
import type {RankFigure} from './report';
import {place, rowLabels, rowPlaces, rowSensor, rowsHeight, slotsFor} from './rows';
import {state} from './state';
import {facts} from './tip';

const shown = (figure: RankFigure) =>
  figure.ranks.algorithms.filter((one) => state.visible(one.algorithm));

export function drawRanks(figure: RankFigure, canvas: Canvas): Drawing {
  const all = shown(figure);
  const slots = slotsFor(all.length, figure.ranks.algorithms.length, canvas);
  const rows = all.map((one, i): Row => ({
    ...rowPlaces(i), algorithm: one.algorithm, rank: one.rank.value,
    low: one.rank.low ?? one.rank.value, high: one.rank.high ?? one.rank.value,
    remark: one.rank.value?.toFixed(2) ?? '',
  }));
  // Equal ranks lie side by side, so that one can count them.
  const points = all.flatMap((one, i) => {
    const seen = new Map<number, number>();
    return one.ranks.map((rank): Row => {
      const k = seen.get(rank) ?? 0;
      seen.set(rank, k + 1);
      const aside = Math.min(0.2, Math.ceil(k / 2) * 0.075) * (k % 2 === 0 ? 1 : -1);
      return {algorithm: one.algorithm, rank, place: i + 0.68 + aside};
    });
  });
  const names = figure.ranks.algorithms.map((one) => one.algorithm);
  const scales = scalesFor(names, canvas.palette.dark);
  const color: Json = {field: 'algorithm', type: 'nominal', scale: scales.colour, legend: null};
  const x = (field: string): Json => ({
    field, type: 'quantitative',
    scale: {domain: [1, Math.max(2, names.length)], nice: false, zero: false, padding: 8},
    axis: horizontal('rank by mean regret, 1 is the lowest', false,
                     {grid: true, values: names.map((_, i) => i + 1)}),
  });
  const y = (field: string): Json => place(field, slots);
  const layer = (data: string, mark: Json, encoding: Json): Json =>
    ({data: {name: data}, mark: {clip: true, tooltip: null, ...mark}, encoding});
  return {
    height: rowsHeight(slots),
    zoomable: null,
    data: {rows, points},
    spec: {
      layer: [
        layer('points', {type: 'circle', size: 16, opacity: 0.45},
              {x: x('rank'), y: y('place'), color}),
        layer('rows', {type: 'rule', strokeWidth: 2.2},
              {x: x('low'), x2: {field: 'high'}, y: y('middle'), color}),
        layer('rows', {type: 'point', filled: true, size: 80, opacity: 1,
                       stroke: canvas.palette.paper, strokeWidth: 1.2},
              {x: x('rank'), y: y('middle'), color,
               shape: {field: 'algorithm', type: 'nominal', scale: scales.shape, legend: null}}),
        ...rowLabels(rows, slots, canvas),
        rowSensor(slots),
      ],
    },
  };
}

export function tipOfRank(figure: RankFigure, algorithm: unknown): Node | null {
  const one = figure.ranks.algorithms.find((candidate) => candidate.algorithm === algorithm);
  if (one === undefined) return null;
  return facts(named(one.algorithm), [
    ['mean rank', number(one.rank.value)],
    ['95 % interval (bootstrap)', interval(one.rank.low, one.rank.high)],
    ...figure.ranks.problems.map((problem, i): [string, string] => [problem, number(one.ranks[i])]),
  ]);
}

export function describeRanks(figure: RankFigure): string {
  const order = shown(figure).map((one) => `${one.algorithm} ${number(one.rank.value)}`);
  return `Mean rank over ${plural(figure.ranks.problems.length, 'problem')}: ${order.join(', ')}.`;
}

export function csvRanks(figure: RankFigure): string {
  const {problems, algorithms} = figure.ranks;
  return csvRow(['algorithm', 'mean_rank', 'low', 'high', ...problems]) + algorithms.map((one) =>
    csvRow([one.algorithm, one.rank.value, one.rank.low, one.rank.high, ...one.ranks])).join('');
}
