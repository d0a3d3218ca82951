// Plots with a row an algorithm: its name above, its marks below. No room is lost to an axis of
// names, and the rows serve as a legend.
import type {Canvas, Json, Row} from './chart';

// Few rows are higher, so that a plot is about as high as the one beside it.
export function rowsHeight(rows: number): number {
  const height = Math.max(34, Math.min(54, 238 / Math.max(1, rows)));
  return Math.round(Math.max(1, rows) * height) + 42;
}

// Where the parts of row i are, in units of rows.
export function rowPlaces(i: number): Row {
  return {top: i, label: i + 0.28, upper: i + 0.52, middle: i + 0.68, lower: i + 0.84,
          bottom: i + 1};
}

export function rowScale(rows: number): Json {
  return {domain: [0, Math.max(1, rows)], reverse: true, nice: false, zero: false};
}

export function place(field: string, rows: number): Json {
  return {field, type: 'quantitative', scale: rowScale(rows), axis: null};
}

// Names on the left, the field `remark` on the right, over the data `rows`.
export function rowLabels(rows: number, canvas: Canvas): Json[] {
  const y = place('label', rows);
  const {palette} = canvas;
  const text = (field: string, x: Json, more: Json): Json => ({
    data: {name: 'rows'},
    mark: {type: 'text', baseline: 'middle', tooltip: null, ...more},
    encoding: {x, y, text: {field}},
  });
  return [
    text('algorithm', {value: 0}, {align: 'left', color: palette.ink, dx: 1, limit: canvas.width * 0.55}),
    text('remark', {value: 'width'}, {align: 'right', color: palette.muted, fontSize: 10}),
  ];
}

// Invisible, over the whole row: what the pointer meets.
export function rowSensor(rows: number): Json {
  return {
    data: {name: 'rows'},
    mark: {type: 'rect', fillOpacity: 0, color: '#888888', tooltip: {content: 'data'}},
    encoding: {
      x: {value: 0}, x2: {value: 'width'}, y: place('top', rows), y2: {field: 'bottom'},
    },
  };
}
