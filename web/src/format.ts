// Numbers for people.
import type {Maybe} from './report';

export const minus = '\u2212';
const dash = '\u2013';

// Cached, because making a format takes a hundred times as long as using it.
const formats = new Map<number, Intl.NumberFormat>();

function grouped(value: number, decimals: number): string {
  let format = formats.get(decimals);
  if (format === undefined) {
    format = new Intl.NumberFormat('en-US', {
      minimumFractionDigits: decimals, maximumFractionDigits: decimals,
    });
    formats.set(decimals, format);
  }
  const text = format.format(Math.abs(value));
  return value < 0 && Number(value.toFixed(decimals)) !== 0 ? minus + text : text;
}

// Four significant digits, but never fewer than there are before the decimal point.
export function number(value: Maybe): string {
  if (value === null) return dash;
  if (value === 0) return '0';
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  if (magnitude < -4) return value.toExponential(1).replace('-', minus);
  return grouped(value, Math.max(0, 3 - magnitude));
}

// For a number that was chosen, not measured: 0.15, not 0.1500.
export function plain(value: Maybe): string {
  if (value === null) return dash;
  return String(Number(value.toPrecision(4))).replace('-', minus);
}

export const signed = (value: number): string => (value > 0 ? '+' : '') + number(value);

// A mean with as many decimals as its standard error needs for two digits.
export function withError(mean: Maybe, error: Maybe): string {
  if (mean === null) return dash;
  if (error === null || error <= 0) return number(mean);
  const decimals = Math.min(9, Math.max(0, 1 - Math.floor(Math.log10(error))));
  return `${grouped(mean, decimals)} \u00b1 ${grouped(error, decimals)}`;
}

export function interval(low: Maybe, high: Maybe): string {
  return low === null || high === null ? dash : `${number(low)} to ${number(high)}`;
}

export const count = (value: number): string => grouped(value, 0);

export const plural = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

export function percent(share: Maybe): string {
  return share === null ? dash : `${grouped(100 * share, 1)} %`;
}

// A difference in standard errors, always with its sign.
export function standardErrors(z: number): string {
  const decimals = Math.abs(z) < 100 ? 1 : 0;
  const rounded = Number(z.toFixed(decimals));
  return (rounded > 0 ? '+' : rounded < 0 ? minus : '\u00b1') + grouped(Math.abs(z), decimals);
}

export function probability(p: Maybe): string {
  if (p === null) return dash;
  if (p < 0.001) return p < 1e-6 ? '< 10\u207b\u2076' : '< 0.001';
  return p.toFixed(p < 0.1 ? 3 : 2);
}

export function seconds(value: Maybe): string {
  return value === null ? dash : value === 0 ? '0 s' : secondsWithError(value, null);
}

const timeUnits: [number, number, string][] = [  // below, size, name
  [1e-3, 1e-6, '\u00b5s'], [1, 1e-3, 'ms'], [120, 1, 's'], [7200, 60, 'min'], [Infinity, 3600, 'h'],
];

// Both in the unit that fits the mean.
export function secondsWithError(mean: Maybe, error: Maybe): string {
  if (mean === null) return dash;
  const [, size, unit] = timeUnits.find(([below]) => mean < below)!;
  return `${withError(mean / size, error === null ? null : error / size)} ${unit}`;
}

// ÷3.0 for a third as much, ×3.0 for three times as much.
export function timesLess(ratio: number): string {
  const size = ratio >= 1 ? ratio : 1 / ratio;
  return `${ratio >= 1 ? '\u00f7' : '\u00d7'}${grouped(size, size < 10 ? 1 : 0)}`;
}

// An ISO time, to the minute.
export function time(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const words = at.toLocaleString('en-GB', {
    day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit',
    timeZone: 'UTC',
  });
  return `${words.replace(' at ', ', ')} UTC`;
}

// 100000 is 100k.
export function steps(value: number): string {
  const units: [number, string][] = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']];
  for (const [size, unit] of units) {
    if (value >= size) return `${Number((value / size).toPrecision(4))}${unit}`;
  }
  return String(value);
}

// A text turned into the name of a file.
export const fileName = (text: string): string =>
  text.toLowerCase().replace(/[^a-z0-9.]+/g, '-').replace(/^-+|-+$/g, '') || 'figure';

// What the trials of an agent with two kinds of them are like.
export function twoGroups(groups: {low: Maybe; high: Maybe; share: Maybe}): string {
  const share = groups.share ?? 0;
  return `${percent(1 - share)} near ${number(groups.low)}, ${percent(share)} near ` +
    number(groups.high);
}
