// Numbers and times as this page writes them.
import {count} from '../format';
import type {Maybe} from '../report';

export const dash = '\u2013';

// Rewards and values: at most three decimals are enough to tell them apart.
export function value(number: Maybe): string {
  if (number === null) return dash;
  const size = Math.abs(number);
  if (size >= 1000) return count(number);
  return number.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 3).replace('-', '\u2212');
}

export const percent = (share: Maybe): string =>
  share === null ? dash
    : `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;

export const rate = (perSecond: number): string =>
  perSecond >= 100 ? count(perSecond) : perSecond.toFixed(perSecond >= 10 ? 1 : 2);

// Fits a tile: 12,345 as it is, 1.23 M.
export function total(number: number): string {
  if (number < 1e6) return count(number);
  return number < 1e9 ? `${(number / 1e6).toFixed(2)} M` : `${(number / 1e9).toFixed(2)} G`;
}

export function bytes(number: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (number >= 1000 && unit + 1 < units.length) {
    number /= 1000;
    ++unit;
  }
  return `${number.toFixed(unit === 0 || number >= 100 ? 0 : 1)} ${units[unit]}`;
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) {
    return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  }
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

// The time of day in the reader's time zone.
export function clock(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : at.toLocaleTimeString('en-GB');
}
