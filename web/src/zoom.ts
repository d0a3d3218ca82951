// Zooming into a plot: drag a rectangle, Ctrl and the wheel, Shift and drag to move, double-click
// to see everything again; + - 0 on the keyboard. The wheel alone still scrolls the page.
import type {View} from 'vega';

import type {Zoom} from './chart';
import {h} from './dom';
import type {Range} from './state';

export interface ZoomTarget {
  view(): View | null;
  axes(): 'x' | 'xy' | null;
  readonly zoom: Zoom;
  whole: Zoom;  // the range without a zoom; set by the first zoom
  changed(): void;
}

interface D3Scale {
  invert?(pixel: number): number;
  domain(): number[];
}

// Where a pointer is inside the area of the marks.
export function placeIn(view: View, host: HTMLElement, event: MouseEvent) {
  const drawn = host.querySelector('svg') ?? host;
  const frame = drawn.getBoundingClientRect();
  const [left, top] = view.origin();
  const padding = view.padding() as {left: number; top: number};
  const x = event.clientX - frame.left - padding.left - left;
  const y = event.clientY - frame.top - padding.top - top;
  const width = view.signal('width') as number;
  const height = view.signal('height') as number;
  return {
    x, y, width, height, inside: x >= 0 && y >= 0 && x <= width && y <= height,
    areaLeft: event.clientX - x, areaTop: event.clientY - y,
  };
}

export function scaleOf(view: View, axis: 'x' | 'y'): D3Scale {
  return view.scale(axis) as unknown as D3Scale;
}

function domainOf(view: View, axis: 'x' | 'y', from: number, to: number): Range | null {
  const invert = scaleOf(view, axis).invert;
  if (invert === undefined) return null;
  const ends = [invert(from), invert(to)].sort((a, b) => a - b);
  return ends.every(Number.isFinite) && ends[0] < ends[1] ? [ends[0], ends[1]] : null;
}

function rememberWhole(target: ZoomTarget, view: View): void {
  for (const axis of ['x', 'y'] as const) {
    if (target.zoom[axis] !== null) continue;
    const ends = scaleOf(view, axis).domain();
    target.whole[axis] = [Math.min(...ends), Math.max(...ends)];
  }
}

// There is nothing outside the whole range, so one cannot zoom out of it.
function within(range: Range | null, whole: Range | null): Range | null {
  if (range === null || whole === null) return range;
  return range[0] <= whole[0] && range[1] >= whole[1] ? null : range;
}

export function resetZoom(target: ZoomTarget): void {
  target.zoom.x = target.zoom.y = null;
  target.changed();
}

// Keeps the point (x, y), in pixels, where it is; by default the middle.
export function zoomBy(target: ZoomTarget, factor: number, x?: number, y?: number): void {
  const view = target.view();
  const axes = target.axes();
  if (view === null || axes === null) return;
  const width = view.signal('width') as number;
  const height = view.signal('height') as number;
  const spread = (centre: number, size: number): Range =>
    [centre - centre * factor, centre + (size - centre) * factor];
  rememberWhole(target, view);
  target.zoom.x = within(domainOf(view, 'x', ...spread(x ?? width / 2, width)), target.whole.x);
  if (axes === 'xy') {
    const range = domainOf(view, 'y', ...spread(y ?? height / 2, height));
    target.zoom.y = within(range, target.whole.y);
  }
  target.changed();
}

function moveBy(target: ZoomTarget, view: View, dx: number, dy: number): void {
  rememberWhole(target, view);
  target.zoom.x = domainOf(view, 'x', -dx, (view.signal('width') as number) - dx);
  if (target.axes() === 'xy') {
    target.zoom.y = domainOf(view, 'y', -dy, (view.signal('height') as number) - dy);
  }
  target.changed();
}

export function attachZoom(host: HTMLElement, target: ZoomTarget): void {
  host.addEventListener('wheel', (event) => {
    const view = target.view();
    if (!event.ctrlKey || view === null || target.axes() === null) return;
    const at = placeIn(view, host, event);
    if (!at.inside) return;
    event.preventDefault();
    zoomBy(target, Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 200), at.x, at.y);
  }, {passive: false});

  host.addEventListener('dblclick', () => {
    if (target.axes() !== null) resetZoom(target);
  });

  host.addEventListener('pointerdown', (start) => {
    const view = target.view();
    // A finger scrolls the page; for zooming there are buttons.
    if (view === null || target.axes() === null || start.button !== 0 ||
        start.pointerType === 'touch') {
      return;
    }
    const from = placeIn(view, host, start);
    if (!from.inside) return;
    if (start.shiftKey) dragToMove(host, target, view, start);
    else dragToZoom(host, target, view, start, from);
  });
}

function whileDown(start: PointerEvent, move: (event: PointerEvent) => void,
                   end: (event: PointerEvent) => void): void {
  start.preventDefault();
  const done = new AbortController();
  const {signal} = done;
  window.addEventListener('pointermove', move, {signal});
  window.addEventListener('pointercancel', () => done.abort(), {signal});
  window.addEventListener('pointerup', (event) => {
    done.abort();
    end(event);
  }, {signal});
}

function dragToMove(host: HTMLElement, target: ZoomTarget, view: View, start: PointerEvent): void {
  let last = start;
  host.classList.add('moving');
  whileDown(start, (event) => {
    moveBy(target, view, event.clientX - last.clientX, event.clientY - last.clientY);
    last = event;
  }, () => host.classList.remove('moving'));
}

function dragToZoom(host: HTMLElement, target: ZoomTarget, view: View, start: PointerEvent,
                    from: ReturnType<typeof placeIn>): void {
  const box = h('div', {class: 'brush'});
  const both = target.axes() === 'xy';
  const frame = host.getBoundingClientRect();
  const clamp = (value: number, size: number) => Math.max(0, Math.min(size, value));
  const corners = (event: PointerEvent) => {
    const x = clamp(event.clientX - from.areaLeft, from.width);
    const y = clamp(event.clientY - from.areaTop, from.height);
    return {left: Math.min(x, from.x), right: Math.max(x, from.x),
            top: both ? Math.min(y, from.y) : 0, bottom: both ? Math.max(y, from.y) : from.height};
  };
  host.append(box);
  host.classList.add('brushing');
  whileDown(start, (event) => {
    const {left, right, top, bottom} = corners(event);
    box.style.left = `${from.areaLeft - frame.left + left}px`;
    box.style.top = `${from.areaTop - frame.top + top}px`;
    box.style.width = `${right - left}px`;
    box.style.height = `${bottom - top}px`;
  }, (event) => {
    box.remove();
    host.classList.remove('brushing');
    const {left, right, top, bottom} = corners(event);
    // A click is not a drag; a flat rectangle chooses only the x range.
    if (right - left < 6) return;
    rememberWhole(target, view);
    target.zoom.x = domainOf(view, 'x', left, right);
    if (both && bottom - top >= 12) target.zoom.y = domainOf(view, 'y', top, bottom);
    target.changed();
  });
}
