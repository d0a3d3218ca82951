// One plot of the page: drawn when it comes near the window, updated, and exported.
import type {View} from 'vega';

import {type Canvas, type Drawing, fillView, pictureFile, type Row, viewOnPage, type Zoom,
        zoomView} from './chart';
import {h, save, toggle} from './dom';
import {fileName} from './format';
import type {FigureChoices} from './state';
import {exportPalette, palette} from './theme';
import {hideTip, tipAt} from './tip';
import {attachZoom, placeIn, resetZoom, scaleOf, zoomBy, type ZoomTarget} from './zoom';

// What is shown about one place on the x axis.
export interface Guide {
  rows: Row[];  // for the layers over the data 'guide'
  content: Node;
}

export interface PlotOptions {
  key: string;  // unique among the plots of a figure
  title?: string;  // for a plot beside others
  fullTitle: string;  // for a plot that stands alone: in a file, and for a screen reader
  choices: FigureChoices;
  height(): number;  // before it is drawn
  draw(canvas: Canvas): Drawing;
  summary(): string;              // what it shows, in words
  tip?(datum: Row): Node | null;  // for a mark
  guide?(x: number, y: number): Guide | null;
  stops?(): number[];  // places on the x axis for the arrow keys
  csv(): string;
  controls?: HTMLElement[];
  zooms?: boolean;  // unless false
}

const near = new IntersectionObserver((entries) => {
  for (const entry of entries) plotOf.get(entry.target)?.comeNear(entry.isIntersecting);
}, {rootMargin: '300px 0px'});
const resized = new ResizeObserver((entries) => {
  for (const entry of entries) plotOf.get(entry.target)?.refresh();
});
const plotOf = new WeakMap<Element, Plot>();

export class Plot {
  readonly element: HTMLElement;
  private readonly host: HTMLDivElement;
  private readonly reset: HTMLButtonElement;
  private readonly spoken = h('p', {class: 'unseen', 'aria-live': 'polite'});
  private readonly problem = h('p', {class: 'problem', role: 'alert'});
  private view: View | null = null;
  private drawing: Drawing | null = null;
  private drawnSpec = '';
  private isNear = false;
  private stop = -1;
  private readonly target: ZoomTarget;

  constructor(private readonly options: PlotOptions) {
    this.host = h('div', {class: 'plot-host', tabindex: 0, role: 'group'});
    const {choices, key} = options;
    this.target = {
      view: () => this.view,
      axes: () => this.drawing?.zoomable ?? null,
      get zoom() { return (choices.zoom[key] ??= {x: null, y: null}); },
      whole: {x: null, y: null},
      changed: () => this.showZoom(),
    };
    this.reset = this.button('all', 'Show all data again', () => resetZoom(this.target));
    this.element = h('figure', {class: 'plot', 'data-plot': options.key},
      this.caption(),
      this.host,
      h('div', {class: 'tools plot-tools'}, ...this.tools()),
      this.problem,
      this.spoken);
    this.listen();
    plotOf.set(this.host, this);
    near.observe(this.host);
    resized.observe(this.host);
    this.refresh();
  }

  // Redraws the plot with the current choices and data; later if it is far from the window.
  refresh(): void {
    this.host.setAttribute('aria-label', `${this.options.fullTitle}. ${this.options.summary()}`);
    if (this.isNear) this.drawNow();
    else this.reserve();
  }

  comeNear(isNear: boolean): void {
    this.isNear = isNear;
    if (isNear) this.drawNow();
  }

  drawNow(): void {
    const width = this.host.clientWidth;
    if (width < 40) return;  // it is inside a folded part
    const canvas = {width, palette: palette(), legend: false};
    const drawing = this.options.draw(canvas);
    const spec = JSON.stringify([drawing.spec, width, drawing.height, canvas.palette.dark]);
    this.drawing = drawing;
    this.reset.hidden = this.zoom.x === null && this.zoom.y === null;
    this.host.style.minHeight = `${drawing.height}px`;
    if (this.view !== null && spec === this.drawnSpec) {
      fillView(this.view, drawing);
      zoomView(this.view, drawing, this.zoom);
      this.view.run();
      return;
    }
    this.view?.finalize();
    // Vega sets the label of the element it draws into. Ours has a better label, so Vega gets an
    // element inside it.
    const inner = h('div', {'aria-hidden': 'true'});
    this.host.replaceChildren(inner);
    this.view = viewOnPage(drawing, canvas, this.zoom, inner);
    this.view.tooltip((_handler, event, item, value) => {
      const datum = (item as {datum?: Row} | null)?.datum;
      const content = value && datum ? this.options.tip?.(datum) ?? null : null;
      if (content !== null && event instanceof MouseEvent) {
        tipAt(event.clientX, event.clientY, content);
      } else if (this.options.guide === undefined) hideTip();
    });
    this.drawnSpec = spec;
  }

  // Call this when the axes change: the zoom is in the units of the old axes.
  forgetZoom(): void {
    this.zoom.x = this.zoom.y = null;
  }

  destroy(): void {
    near.unobserve(this.host);
    resized.unobserve(this.host);
    this.view?.finalize();
    this.view = null;
  }

  private get zoom(): Zoom {
    return this.target.zoom;
  }

  private reserve(): void {
    if (this.view === null) this.host.style.minHeight = `${this.options.height()}px`;
  }

  private caption(): HTMLElement | null {
    const {title = '', controls = []} = this.options;
    if (title === '' && controls.length === 0) return null;
    return h('figcaption', {}, h('span', {class: 'plot-title'}, title),
      h('span', {class: 'tools'}, ...controls));
  }

  private button(text: string, label: string, act: () => void): HTMLButtonElement {
    return h('button', {type: 'button', class: 'tool', title: label,
                        'aria-label': `${label}: ${this.options.fullTitle}`, click: act}, text);
  }

  private tools(): HTMLElement[] {
    const {fullTitle, zooms} = this.options;
    const zoom = [
      this.button('\u2212', 'Zoom out', () => zoomBy(this.target, 1.5)),
      this.button('+', 'Zoom in', () => zoomBy(this.target, 1 / 1.5)),
      this.reset,
    ];
    return [
      ...(zooms === false ? [] : zoom),
      h('span', {class: 'gap'}),
      this.button('SVG', 'Save as SVG picture', () => void this.savePicture('svg')),
      this.button('PNG', 'Save as PNG picture', () => void this.savePicture('png')),
      this.button('CSV', 'Save the numbers as CSV', () => save(
        `${fileName(fullTitle)}.csv`, new Blob([this.options.csv()], {type: 'text/csv'}))),
    ];
  }

  private async savePicture(format: 'svg' | 'png'): Promise<void> {
    const canvas = {width: Math.max(680, this.host.clientWidth), palette: exportPalette,
                    legend: true};
    const {fullTitle} = this.options;
    this.problem.textContent = '';
    try {
      const file = await pictureFile(this.options.draw(canvas), canvas, this.zoom, fullTitle, format);
      save(`${fileName(fullTitle)}.${format}`, file);
    } catch (error) {
      console.error(error);
      const reason = error instanceof Error ? error.message : String(error);
      this.problem.textContent = `It cannot be saved: ${reason}.`;
    }
  }

  private showZoom(): void {
    this.reset.hidden = this.zoom.x === null && this.zoom.y === null;
    if (this.view === null || this.drawing === null) return;
    zoomView(this.view, this.drawing, this.zoom);
    this.view.run();
  }

  private listen(): void {
    attachZoom(this.host, this.target);
    this.host.addEventListener('keydown', (event) => this.key(event));
    this.host.addEventListener('blur', () => this.point(null));
    if (this.options.guide === undefined) return;
    let pending = 0;
    const follow = (event: PointerEvent) => {
      cancelAnimationFrame(pending);
      pending = requestAnimationFrame(() => this.follow(event));
    };
    this.host.addEventListener('pointermove', follow);
    this.host.addEventListener('pointerdown', follow);
    this.host.addEventListener('pointerleave', () => {
      cancelAnimationFrame(pending);
      this.point(null);
    });
  }

  private follow(event: PointerEvent): void {
    if (this.view === null || this.host.classList.contains('brushing')) return;
    const at = placeIn(this.view, this.host, event);
    const x = at.inside ? scaleOf(this.view, 'x').invert?.(at.x) : undefined;
    const y = at.inside ? scaleOf(this.view, 'y').invert?.(at.y) : undefined;
    const guide =
      x === undefined || y === undefined ? null : this.options.guide?.(x, y) ?? null;
    this.point(guide);
    if (guide !== null) tipAt(event.clientX, event.clientY, guide.content);
  }

  private point(guide: Guide | null): void {
    if (this.options.guide === undefined) return;
    this.view?.data('guide', guide?.rows ?? []).run();
    if (guide === null) hideTip();
  }

  private key(event: KeyboardEvent): void {
    if (event.target !== this.host || event.ctrlKey || event.altKey || event.metaKey) return;
    const stops = this.options.stops?.() ?? [];
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step !== 0 && stops.length > 0) {
      this.stop = Math.max(0, Math.min(stops.length - 1, this.stop + step));
      const guide = this.options.guide?.(stops[this.stop], NaN) ?? null;
      this.point(guide);
      if (guide !== null) {
        const frame = this.host.getBoundingClientRect();
        tipAt(frame.left + frame.width / 2, frame.top, guide.content);
        this.spoken.textContent = guide.content.textContent;
      }
    } else if (event.key === '+' || event.key === '=') {
      zoomBy(this.target, 1 / 1.5);
    } else if (event.key === '-') {
      zoomBy(this.target, 1.5);
    } else if (event.key === '0') {
      resetZoom(this.target);
    } else {
      return;
    }
    event.preventDefault();
  }
}

// A control that changes a choice of the plot's figure.
export function choiceToggle(text: string, title: string, choices: FigureChoices,
                             name: 'logX' | 'logY' | 'single' | 'everyPoint' | 'paper',
                             changed: () => void) {
  return toggle(text, title, () => choices[name], () => {
    choices[name] = !choices[name];
    changed();
  });
}
