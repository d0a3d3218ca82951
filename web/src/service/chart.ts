// Draws values over time as curves, without a library, which would be most of the page.
import {h, svg} from '../dom';
import type {Maybe} from '../report';

export interface Curve {
  name: string;
  colour: string;  // a class of the style sheet
  values: Maybe[];
  area?: boolean;
}

export interface Series {
  times: Date[];
  span: string;       // in words
  tickSeconds: number;  // between two labels of the axis of times
  curves: Curve[];
  level?: {name: string; value: number} | null;  // a dashed line across
  fromZero: boolean;
}

const day = 24 * 3600;  // seconds
const height = 190;
const margin = {left: 44, right: 10, top: 12, bottom: 22};

// A round number for the step between two ticks of an axis.
export function roundStep(span: number, steps: number): number {
  const rough = span / steps;
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10;
  return lead * power;
}

export class Chart {
  readonly element: HTMLElement;
  private readonly host = h('div', {class: 'chart-host'});
  private readonly legend = h('p', {class: 'legend'});
  private series: Series | null = null;
  private width = 0;
  private pointed: number | null = null;  // which place

  constructor(private readonly title: string, private readonly write: (value: Maybe) => string) {
    this.element = h('section', {class: 'panel chart'}, h('h2', {}, title), this.legend, this.host);
    new ResizeObserver(() => {
      const width = Math.floor(this.host.clientWidth);
      if (width === this.width) return;
      this.width = width;
      this.draw();
    }).observe(this.host);
    this.host.addEventListener('pointermove', (event) => this.point(event));
    this.host.addEventListener('pointerleave', () => {
      this.pointed = null;
      this.draw();
    });
  }

  show(series: Series): void {
    this.series = series;
    this.draw();
  }

  private point(event: PointerEvent): void {
    if (this.series === null || this.series.times.length === 0) return;
    const inner = this.width - margin.left - margin.right;
    const share = (event.clientX - this.host.getBoundingClientRect().left - margin.left) / inner;
    const last = this.series.times.length - 1;
    this.pointed = Math.min(last, Math.max(0, Math.round(share * last)));
    this.draw();
  }

  private describe(series: Series): void {
    const place = this.pointed !== null && this.pointed < series.times.length ? this.pointed : null;
    const parts = series.curves.map((curve) => {
      const shown = place === null ? lastOf(curve.values) : curve.values[place] ?? null;
      return h('span', {class: 'key'}, swatch(curve.colour), `${curve.name} `,
               h('b', {}, this.write(shown)));
    });
    if (series.level) {
      parts.push(h('span', {class: 'key'}, swatch('level'), `${series.level.name} `,
                   h('b', {}, this.write(series.level.value))));
    }
    const when = place === null ? 'now' : timeText(series.times[place]!, series.tickSeconds);
    this.legend.replaceChildren(...parts, h('span', {class: 'when'}, when));
  }

  private draw(): void {
    const series = this.series;
    if (series === null || this.width < 80) return;
    this.describe(series);
    const known = series.curves.flatMap((curve) => curve.values)
      .filter((one): one is number => one !== null);
    if (series.level) known.push(series.level.value);
    if (known.length === 0 || series.times.length < 2) {
      this.host.replaceChildren(h('p', {class: 'nothing'}, 'Nothing yet.'));
      return;
    }
    const [low, high] = span(known, series.fromZero);
    const x = (place: number) =>
      margin.left +
      (place / (series.times.length - 1)) * (this.width - margin.left - margin.right);
    const y = (value: number) =>
      margin.top + ((high - value) / (high - low)) * (height - margin.top - margin.bottom);
    const drawing = svg('svg', {
      width: this.width, height, viewBox: `0 0 ${this.width} ${height}`, role: 'img',
      'aria-label': this.summary(series),
    });
    this.drawAxes(drawing, series, low, high, x, y);
    for (const curve of series.curves) {
      for (const piece of pieces(curve.values)) {
        const line = piece.map(([place, value]) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`);
        if (curve.area) {
          const base = y(low).toFixed(1);
          const ends = [x(piece[piece.length - 1]![0]), x(piece[0]![0])];
          drawing.append(svg('path', {
            class: `area ${curve.colour}`,
            d: `M${line.join('L')}L${ends[0]!.toFixed(1)},${base}L${ends[1]!.toFixed(1)},${base}Z`,
          }));
        }
        drawing.append(svg('path', {class: `line ${curve.colour}`, d: `M${line.join('L')}`}));
      }
    }
    if (series.level) {
      const at = y(series.level.value);
      drawing.append(svg('line', {
        class: 'line level', x1: margin.left, x2: this.width - margin.right, y1: at, y2: at,
      }));
    }
    if (this.pointed !== null && this.pointed < series.times.length) {
      const at = x(this.pointed);
      drawing.append(svg('line', {
        class: 'pointer', x1: at, x2: at, y1: margin.top, y2: height - margin.bottom,
      }));
    }
    this.host.replaceChildren(drawing);
  }

  private drawAxes(drawing: SVGElement, series: Series, low: number, high: number,
                   x: (place: number) => number, y: (value: number) => number): void {
    const step = roundStep(high - low, 3);
    for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + step * 1e-9; tick += step) {
      const at = y(tick);
      drawing.append(
        svg('line', {class: 'grid', x1: margin.left, x2: this.width - margin.right, y1: at, y2: at}),
        label(margin.left - 6, at + 4, 'end', tickText(tick, step)));
    }
    const every = series.tickSeconds * (this.width < 420 ? 2 : 1);
    const nth = (time: Date) =>
      Math.floor((time.getTime() / 1000 - 60 * time.getTimezoneOffset()) / every);
    series.times.forEach((time, place) => {
      if (place === 0 || nth(time) === nth(series.times[place - 1]!)) return;
      const at = x(place);
      if (at < margin.left + 12 || at > this.width - 24) return;
      // The round time that lies in this period.
      const round = new Date(1000 * (nth(time) * every + 60 * time.getTimezoneOffset()));
      const words = series.tickSeconds < day ? clock(round)
        : round.toLocaleDateString('en-GB', {day: 'numeric', month: 'short'});
      drawing.append(
        svg('line', {class: 'tick', x1: at, x2: at, y1: height - margin.bottom,
                     y2: height - margin.bottom + 4}),
        label(at, height - 5, 'middle', words));
    });
  }

  private summary(series: Series): string {
    const last = series.curves.map((curve) => `${curve.name} ${this.write(lastOf(curve.values))}`);
    return `${this.title}, the last ${series.span}; now ${last.join(', ')}`;
  }
}

const clock = (time: Date): string => time.toLocaleTimeString('en-GB').slice(0, 5);

// As exactly as the periods are long.
function timeText(time: Date, tickSeconds: number): string {
  if (tickSeconds < 3600) return time.toLocaleTimeString('en-GB');
  return `${time.toLocaleDateString('en-GB', {day: 'numeric', month: 'short'})} ${clock(time)}`;
}

const lastOf = (values: Maybe[]): Maybe => values[values.length - 1] ?? null;

const swatch = (colour: string): SVGElement =>
  svg('svg', {width: 14, height: 8, 'aria-hidden': 'true'},
      svg('line', {class: `line ${colour}`, x1: 0, x2: 14, y1: 4, y2: 4}));

function label(x: number, y: number, anchor: string, text: string): SVGElement {
  const element = svg('text', {x, y, 'text-anchor': anchor});
  element.textContent = text;
  return element;
}

function tickText(tick: number, step: number): string {
  if (Math.abs(tick) >= 10000) return `${Number((tick / 1000).toFixed(1))}k`;
  // As many decimals as the step has.
  const decimals = Number(step.toPrecision(2)).toString().split('.')[1]?.length ?? 0;
  return tick.toFixed(Math.min(decimals, 6)).replace('-', '\u2212');
}

function span(values: number[], fromZero: boolean): [number, number] {
  let low = Math.min(...values);
  let high = Math.max(...values);
  if (fromZero) low = Math.min(0, low);
  if (high - low < 1e-9) return [low - (fromZero ? 0 : 0.5), high + (fromZero ? 1 : 0.5)];
  const room = 0.08 * (high - low);
  return [fromZero && low === 0 ? 0 : low - room, high + room];
}

// Splits the values into pieces without gaps.
export function pieces(values: Maybe[]): [number, number][][] {
  const found: [number, number][][] = [];
  let current: [number, number][] = [];
  values.forEach((value, place) => {
    if (value !== null) {
      current.push([place, value]);
    } else if (current.length > 0) {
      found.push(current);
      current = [];
    }
  });
  if (current.length > 0) found.push(current);
  return found;
}

// The weighted mean over the last `width` values, without those that have no value.
export function smoothed(values: Maybe[], weights: number[], width: number): Maybe[] {
  return values.map((_, end) => {
    let sum = 0;
    let weight = 0;
    for (let place = Math.max(0, end - width + 1); place <= end; ++place) {
      const value = values[place] ?? null;
      if (value === null) continue;
      sum += value * weights[place]!;
      weight += weights[place]!;
    }
    return weight > 0 ? sum / weight : null;
  });
}
