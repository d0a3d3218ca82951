// Plots with one row per algorithm: its name above, its marks below. So no space is lost to an axis
// of names, and the rows serve as a legend.
import type {Canvas, Json, Row} from './chart';

// If there are few rows they are higher, so that a plot is about as high as the one beside it.
export function rowsHeight(rows: number): number {
  const height = Math.max(34, Math.min(54, 238 / Math.max(1, rows)));
  return Math.round(Math.max(1, rows) * height) + 42;
}

// How many rows to make room for. Hiding an algorithm must not move the page under the reader, so
// the page has room for all. A file is only as high as it needs to be.
export const slotsFor = (shown: number, all: number, canvas: Canvas): number =>
  (canvas.legend ? shown : all);

// Where the parts of row i are, in units of rows.
export function rowPlaces(i: number): Row {
  return {top: i, label: i + 0.28, upper: i + 0.52, middle: i + 0.68, lower: i + 0.84,
          bottom: i + 1};
}

export function rowScale(slots: number): Json {
  return {domain: [0, Math.max(1, slots)], reverse: true, nice: false, zero: false};
}

export function place(field: string, slots: number): Json {
  return {field, type: 'quantitative', scale: rowScale(slots), axis: null};
}

// Names on the left, the field `remark` on the right, over the data `rows`.
export function rowLabels(rows: Row[], slots: number, canvas: Canvas): Json[] {
  const y = place('label', slots);
  const longest = Math.max(0, ...rows.map((row) => String(row.remark).length));
  const limit = Math.max(60, canvas.width - 16 - 5.7 * longest);  // a letter is about 5.7 wide
  const {palette} = canvas;
  const text = (field: string, x: Json, more: Json): Json => ({
    data: {name: 'rows'},
    mark: {type: 'text', baseline: 'middle', tooltip: null, ...more},
    encoding: {x, y, text: {field}},
  });
  return [
    text('algorithm', {value: 0}, {align: 'left', color: palette.ink, dx: 1, limit}),
    text('remark', {value: 'width'}, {align: 'right', color: palette.muted, fontSize: 10}),
  ];
}

// An invisible mark over the whole row, so that the tooltip appears anywhere in it.
export function rowSensor(slots: number): Json {
  return {
    data: {name: 'rows'},
    mark: {type: 'rect', fillOpacity: 0, color: '#888888', tooltip: {content: 'data'}},
    encoding: {
      x: {value: 0}, x2: {value: 'width'}, y: place('top', slots), y2: {field: 'bottom'},
    },
  };
}
