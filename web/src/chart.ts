// Between Vega-Lite and the page: turns a drawing into a view on the page or into a file.
import {Error as ErrorsOnly, parse, View, type Spec} from 'vega';
import {compile, type TopLevelSpec} from 'vega-lite';

import type {Range} from './state';
import {type Palette, vegaConfig} from './theme';

export type Row = Record<string, unknown>;
export type Json = Record<string, unknown>;

// What a figure is drawn on.
export interface Canvas {
  width: number;
  palette: Palette;
  legend: boolean;  // only in files: on the page the bar of algorithms is the legend
}

export interface Drawing {
  spec: Json;                   // Vega-Lite: layers that name their data
  data: Record<string, Row[]>;  // by name
  height: number;
  zoomable: 'x' | 'xy' | null;
}

export interface Zoom {
  x: Range | null;
  y: Range | null;
}

const axes = ['x', 'y'] as const;
const signalOf = {x: 'zoom_x', y: 'zoom_y'};

function toVega(drawing: Drawing, canvas: Canvas, title: string | null): Spec {
  const spec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    width: canvas.width,
    height: drawing.height,
    autosize: {type: 'fit', contains: 'padding'},
    config: vegaConfig(canvas.palette),
    ...(title === null ? {} : {title, background: canvas.palette.paper}),
    ...drawing.spec,
  };
  const vega = compile(spec as unknown as TopLevelSpec).spec;
  // The reader's zoom overrides the range of the data.
  for (const scale of vega.scales ?? []) {
    const axis = axes.find((name) => name === scale.name);
    if (axis === undefined || drawing.zoomable?.includes(axis) !== true) continue;
    Object.assign(scale, {domainRaw: {signal: signalOf[axis]}});
    vega.signals = [...(vega.signals ?? []), {name: signalOf[axis], value: null}];
  }
  return vega;
}

export function fillView(view: View, drawing: Drawing): void {
  for (const [name, rows] of Object.entries(drawing.data)) view.data(name, rows);
}

export function zoomView(view: View, drawing: Drawing, zoom: Zoom): void {
  for (const axis of axes) {
    if (drawing.zoomable?.includes(axis) === true) view.signal(signalOf[axis], zoom[axis]);
  }
}

// Vega warns about layers without data, which are normal here.
const logLevel = ErrorsOnly;

export function viewOnPage(drawing: Drawing, canvas: Canvas, zoom: Zoom, host: HTMLElement): View {
  const view = new View(parse(toVega(drawing, canvas, null)), {renderer: 'svg', logLevel});
  fillView(view, drawing);
  zoomView(view, drawing, zoom);
  view.initialize(host);
  return view.run();
}

export async function pictureFile(drawing: Drawing, canvas: Canvas, zoom: Zoom, title: string,
                                  format: 'svg' | 'png'): Promise<Blob> {
  const view = new View(parse(toVega(drawing, canvas, title)), {renderer: 'none', logLevel});
  try {
    fillView(view, drawing);
    zoomView(view, drawing, zoom);
    if (format === 'svg') return new Blob([await view.toSVG()], {type: 'image/svg+xml'});
    const drawn = (await view.toCanvas(2)) as unknown as HTMLCanvasElement;
    return await new Promise<Blob>((resolve, reject) => drawn.toBlob(
      (blob) => (blob === null ? reject(new Error('the picture is too large')) : resolve(blob)),
      'image/png'));
  } finally {
    view.finalize();
  }
}
