// Paired differences to a reference algorithm: a dot and its bootstrap interval.
import {named, scalesFor} from './algorithms';
import {horizontal} from './axes';
import type {Canvas, Drawing, Json, Row} from './chart';
import {csvRow} from './dom';
import {count, interval, number, probability, signed} from './format';
import type {Estimate, Maybe, ProblemComparison} from './report';
import {place, rowLabels, rowPlaces, rowSensor, rowsHeight, slotsFor} from './rows';
import {type Centre, state} from './state';
import {facts} from './tip';

// How `algorithm` did against `other`.
export interface Against {
  algorithm: string;
  other: string;
  trials: number;
  wins: number;
  ties: number;
  losses: number;
  mean: Estimate;
  median: Estimate;
  p: Maybe;
  p_holm: Maybe;
  exact: boolean;
}

const negative = (value: Maybe): Maybe => (value === null ? null : -value);
const turned = (one: Estimate): Estimate =>
  ({value: negative(one.value), low: negative(one.high), high: negative(one.low)});

export function against(comparison: ProblemComparison, algorithm: string,
                        other: string): Against | null {
  const a = comparison.algorithms.indexOf(algorithm);
  const b = comparison.algorithms.indexOf(other);
  for (const pair of comparison.pairs) {
    const {trials, ties, p, p_holm, exact} = pair;
    const same = {algorithm, other, trials, ties, p, p_holm, exact};
    if (pair.a === a && pair.b === b) {
      return {...same, wins: pair.wins, losses: pair.losses, mean: pair.mean, median: pair.median};
    }
    if (pair.a === b && pair.b === a) {
      return {...same, wins: pair.losses, losses: pair.wins, mean: turned(pair.mean),
              median: turned(pair.median)};
    }
  }
  return null;
}

export function againstReference(comparison: ProblemComparison, reference: string,
                                 centre: Centre): Against[] {
  return comparison.algorithms
    .filter((name) => name !== reference && state.visible(name))
    .map((name) => against(comparison, name, reference))
    .filter((one): one is Against => one !== null && one[centre].value !== null)
    .sort((one, two) => one[centre].value! - two[centre].value!);
}

// If the differences vary much in size, the axis is linear near zero and logarithmic beyond.
function axisOf(all: Against[], centre: Centre): {scale: Json; ticks: Json} {
  const ends = all.flatMap((one) => [one[centre].low, one[centre].high, one[centre].value])
    .flatMap((value) => (value === null || value === 0 ? [] : [Math.abs(value)]));
  const largest = Math.max(...ends, 0);
  const sizes = all.map((one) => Math.abs(one[centre].value!)).filter((value) => value > 0)
    .sort((a, b) => a - b);
  if (sizes.length < 3 || largest < 40 * sizes[Math.floor(sizes.length / 3)]) {
    return {scale: {type: 'linear', zero: true, nice: false, padding: 8}, ticks: {}};
  }
  const constant = 10 ** Math.floor(Math.log10(sizes[0]) + 0.5);
  const values = [0];
  for (let tick = constant; tick <= largest; tick *= 10) values.push(tick, -tick);
  return {scale: {type: 'symlog', constant, zero: true, nice: false, padding: 8}, ticks: {values}};
}

export const isSignificant = (one: Against): boolean => one.p_holm !== null && one.p_holm < 0.05;

export function drawForest(comparison: ProblemComparison, reference: string, centre: Centre,
                           canvas: Canvas): Drawing {
  const all = againstReference(comparison, reference, centre);
  const slots = slotsFor(all.length, comparison.algorithms.length - 1, canvas);
  const {scale, ticks} = axisOf(all, centre);
  const rows = all.map((one, i): Row => ({
    ...rowPlaces(i), algorithm: one.algorithm, value: one[centre].value,
    low: one[centre].low ?? one[centre].value, high: one[centre].high ?? one[centre].value,
    filled: isSignificant(one) ? one.algorithm : null,
    remark: `less regret in ${count(one.wins)} of ${count(one.trials)}, ` +
      `p ${probability(one.p_holm).replace(/^(?=\d)/, '= ')}`,
  }));
  const scales = scalesFor(comparison.algorithms, canvas.palette.dark);
  const color: Json = {field: 'algorithm', type: 'nominal', scale: scales.colour, legend: null};
  const symlog = scale.type === 'symlog' ? ', log away from 0' : '';
  const x = (field: string): Json => ({
    field, type: 'quantitative', scale,
    axis: horizontal(`difference of ${centre} regret to ${reference}${symlog}`, false,
                     {grid: true, tickCount: 5, ...ticks}),
  });
  const y = (field: string): Json => place(field, slots);
  const layer = (mark: Json, encoding: Json): Json =>
    ({data: {name: 'rows'}, mark: {clip: true, tooltip: null, ...mark}, encoding});
  return {
    height: rowsHeight(slots),
    zoomable: 'x',
    data: {rows, zero: [{value: 0}]},
    spec: {
      layer: [
        {
          data: {name: 'zero'},
          mark: {type: 'rule', color: canvas.palette.ink, strokeWidth: 1.2, tooltip: null},
          encoding: {x: x('value')},
        },
        layer({type: 'rule', strokeWidth: 2.2},
              {x: x('low'), x2: {field: 'high'}, y: y('middle'), color}),
        layer({type: 'circle', size: 70, opacity: 1, strokeWidth: 1.8},
              {x: x('value'), y: y('middle'), stroke: color,
               fill: {condition: {test: 'datum.filled !== null', ...color},
                      value: canvas.palette.paper}}),
        ...rowLabels(rows, slots, canvas),
        rowSensor(slots),
      ],
    },
  };
}

export function tipOfPair(one: Against): HTMLElement {
  const test = one.exact ? 'signed-rank test, exact' : 'signed-rank test, normal approximation';
  return facts(pairTitle(one), [
    ['less regret in', `${count(one.wins)} of ${count(one.trials)} trials`],
    ['the same in', count(one.ties)],
    ['more in', count(one.losses)],
    ['mean difference (95 %, BCa)', withInterval(one.mean)],
    ['median difference (95 %, BCa)', withInterval(one.median)],
    [`p (two-sided ${test})`, probability(one.p)],
    ['p, Holm over all pairs', `${probability(one.p_holm)}${isSignificant(one) ? ', significant at 0.05' : ''}`],
  ]);
}

function withInterval(one: Estimate): string {
  if (one.value === null) return number(null);
  return one.low === null ? signed(one.value)
    : `${signed(one.value)} (${interval(one.low, one.high)})`;
}

function pairTitle(one: Against): Node {
  const title = document.createElement('span');
  title.append(named(one.algorithm), ' against ', named(one.other));
  return title;
}

export function describeForest(comparison: ProblemComparison, reference: string,
                               centre: Centre): string {
  const lines = againstReference(comparison, reference, centre).map((one) =>
    `${one.algorithm} ${withInterval(one[centre])}, p ${probability(one.p_holm)}`);
  return `Differences to ${reference}, negative is less regret: ${lines.join('; ')}.`;
}

export function csvForest(comparison: ProblemComparison): string {
  const head = csvRow([
    'problem', 'a', 'b', 'trials', 'wins', 'ties', 'losses', 'mean', 'mean_low', 'mean_high',
    'median', 'median_low', 'median_high', 'p', 'p_holm',
  ]);
  return head + comparison.pairs.map((pair) => csvRow([
    comparison.problem, comparison.algorithms[pair.a], comparison.algorithms[pair.b], pair.trials,
    pair.wins, pair.ties, pair.losses, pair.mean.value, pair.mean.low, pair.mean.high,
    pair.median.value, pair.median.low, pair.median.high, pair.p, pair.p_holm,
  ])).join('');
}
