// The style of each algorithm, the same everywhere on the page.
import {breakable, h, svg} from './dom';
import type {AlgorithmStyle} from './report';
import {darkNow} from './theme';

const fallback: AlgorithmStyle =
  {name: '', colour: '#555555', dark_colour: '#aaaaaa', dash: [], shape: 'circle'};

let styles = new Map<string, AlgorithmStyle>();
let order: string[] = [];

export function setStyles(list: AlgorithmStyle[]): void {
  styles = new Map(list.map((style) => [style.name, style]));
  order = list.map((style) => style.name);
}

export const styleOf = (name: string): AlgorithmStyle => styles.get(name) ?? {...fallback, name};

export const allAlgorithms = (): string[] => order;

export function colourOf(name: string, dark: boolean): string {
  const style = styleOf(name);
  return dark ? style.dark_colour : style.colour;
}

// Vega-Lite scales for a field that has names of algorithms.
export function scalesFor(names: string[], dark: boolean) {
  const of = names.map(styleOf);
  return {
    colour: {domain: names, range: of.map((style) => (dark ? style.dark_colour : style.colour))},
    dash: {domain: names, range: of.map((style) => (style.dash.length > 0 ? style.dash : [1, 0]))},
    shape: {domain: names, range: of.map((style) => style.shape)},
  };
}

// About eight units wide, around the origin.
const outlines: Record<string, string> = {
  'circle': 'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z',
  'square': 'M-3.5 -3.5h7v7h-7Z',
  'diamond': 'M0 -5L4 0L0 5L-4 0Z',
  'cross': 'M-1.5 -4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3Z',
  'triangle-up': 'M0 -4.5L4.6 3.5H-4.6Z',
  'triangle-down': 'M0 4.5L4.6 -3.5H-4.6Z',
  'triangle-left': 'M-4.5 0L3.5 -4.6V4.6Z',
  'triangle-right': 'M4.5 0L-3.5 -4.6V4.6Z',
};

// A piece of the algorithm's line with its marker.
export function swatch(name: string): SVGElement {
  const style = styleOf(name);
  const colour = colourOf(name, darkNow());
  return svg(
    'svg', {class: 'swatch', viewBox: '0 0 32 12', width: 32, height: 12, 'aria-hidden': 'true'},
    svg('line', {
      x1: 1, y1: 6, x2: 31, y2: 6, stroke: colour, 'stroke-width': 2,
      'stroke-dasharray': style.dash.length > 0 ? style.dash.join(' ') : null,
    }),
    svg('path', {
      d: outlines[style.shape] ?? outlines.circle, fill: colour, transform: 'translate(16 6)',
    }));
}

export const named = (name: string): HTMLElement =>
  h('span', {class: 'algorithm'}, swatch(name), breakable(name));
