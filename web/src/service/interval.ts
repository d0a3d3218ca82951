// Small drawings inside tables: a bar for a share, and a mean with its spread.
import {svg} from '../dom';
import type {Maybe} from '../report';

const width = 120;
const height = 14;

const frame = (...children: Node[]): SVGElement =>
  svg('svg', {class: 'inline', viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true',
              preserveAspectRatio: 'none'}, ...children);

export function bar(share: number, strong: boolean): SVGElement {
  const long = Math.max(share > 0 ? 1 : 0, width * Math.min(1, share));
  return frame(svg('rect', {class: 'track', x: 0, y: 3, width, height: 8}),
               svg('rect', {class: strong ? 'bar strong' : 'bar', x: 0, y: 3, width: long,
                            height: 8}));
}

// The ends of the axis that all intervals in a table share.
export function axisOf(rows: {mean: Maybe; spread: Maybe}[]): [number, number] {
  const ends = rows.flatMap(({mean, spread}) =>
    mean === null ? [] : [mean - (spread ?? 0), mean + (spread ?? 0)]);
  if (ends.length === 0) return [0, 1];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  return high - low < 1e-9 ? [low - 0.5, high + 0.5] : [low, high];
}

export function interval(mean: Maybe, spread: Maybe, [low, high]: [number, number],
                         strong: boolean): SVGElement | null {
  if (mean === null) return null;
  const x = (value: number) => 4 + ((value - low) / (high - low)) * (width - 8);
  const drawing = frame(svg('line', {class: 'track', x1: 0, x2: width, y1: 7, y2: 7}));
  if (spread !== null && spread > 0) {
    drawing.append(svg('rect', {class: strong ? 'spread strong' : 'spread', y: 4, height: 6,
                                x: x(mean - spread),
                                width: Math.max(1, x(mean + spread) - x(mean - spread))}));
  }
  drawing.append(svg('rect', {class: strong ? 'mean strong' : 'mean', x: x(mean) - 1.5, y: 1,
                              width: 3, height: 12}));
  return drawing;
}
