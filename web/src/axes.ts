// Axes shared by the figures.
import type {Canvas, Json} from './chart';

// SI suffixes for thousands; plain decimals below one, where SI would say 500m.
const shortNumber =
  "datum.label === '' ? '' : abs(datum.value) >= 1000 ? format(datum.value, '~s') : " +
  "format(datum.value, '~r')";

// On a log axis every tick has a grid line; those without a label are faint.
const gridOpacity = {condition: {test: "datum.label === ''", value: 0.4}, value: 1};

export function horizontal(title: string, log: boolean, more: Json = {}): Json {
  return {
    title, labelExpr: shortNumber, grid: false, labelFlush: true, labelOverlap: true,
    tickCount: log ? 5 : 6, gridOpacity, ...more,
  };
}

// The title lies flat above the axis.
export function vertical(title: string, log: boolean): Json {
  return {
    title, labelExpr: shortNumber, domain: false, ticks: false, tickCount: log ? 4 : 5,
    gridOpacity, labelOverlap: true, titleAngle: 0, titleAlign: 'left', titleAnchor: 'end',
    titleX: 0, titleY: -8, titleBaseline: 'bottom',
  };
}

export const scaleType = (log: boolean): Json =>
  (log ? {type: 'log', nice: false} : {type: 'linear', zero: true, nice: false});

// The names of algorithms below the plot, only in files.
export function legend(canvas: Canvas): Json | null {
  return canvas.legend
    ? {title: null, orient: 'bottom', columns: 4, symbolSize: 80, symbolOpacity: 1,
       symbolStrokeWidth: 0}
    : null;
}
