// The light and dark themes, and the colours of Vega's figures in each.
import {state} from './state';

export type ThemeChoice = 'auto' | 'light' | 'dark';

export interface Palette {
  dark: boolean;
  paper: string;
  ink: string;
  muted: string;
  grid: string;
}

const light: Palette =
  {dark: false, paper: '#ffffff', ink: '#1d2126', muted: '#5a626b', grid: '#e6e8eb'};
const dark: Palette =
  {dark: true, paper: '#1a1e22', ink: '#e8eaec', muted: '#a7b0b8', grid: '#30363c'};

// The font of the style sheet.
const fontStack =
  getComputedStyle(document.documentElement).getPropertyValue('--font').replace(/\s+/g, ' ').trim();

const key = 'sau-report-theme';
const systemDark = window.matchMedia('(prefers-color-scheme: dark)');
let printing = false;

// The browser may refuse storage, for example to pages opened from a file.
function remembered(): ThemeChoice {
  try {
    const stored = localStorage.getItem(key);
    return stored === 'light' || stored === 'dark' ? stored : 'auto';
  } catch {
    return 'auto';
  }
}

let choice: ThemeChoice = remembered();

export const themeChoice = (): ThemeChoice => choice;

export function chooseTheme(next: ThemeChoice): void {
  choice = next;
  try {
    localStorage.setItem(key, next);
  } catch {
    // The choice is then kept only until the page is closed.
  }
  showTheme();
  state.tell('theme');
}

// Paper is always white.
export function setPrinting(on: boolean): void {
  printing = on;
  showTheme();
}

export const darkNow = (): boolean =>
  !printing && (choice === 'dark' || (choice === 'auto' && systemDark.matches));

export const palette = (): Palette => (darkNow() ? dark : light);
export const exportPalette = light;

function showTheme(): void {
  document.documentElement.dataset.theme = darkNow() ? 'dark' : 'light';
}

export function startTheme(): void {
  showTheme();
  systemDark.addEventListener('change', () => {
    showTheme();
    state.tell('theme');
  });
}

export function vegaConfig(colours: Palette): object {
  const text = {labelFont: fontStack, titleFont: fontStack};
  return {
    background: null,
    padding: {left: 4, right: 8, top: 4, bottom: 4},
    font: fontStack,
    view: {stroke: null},
    axis: {
      ...text,
      domainColor: colours.muted,
      gridColor: colours.grid,
      tickColor: colours.muted,
      labelColor: colours.muted,
      titleColor: colours.muted,
      labelFontSize: 11,
      titleFontSize: 11,
      titleFontWeight: 'normal',
      tickSize: 4,
      labelPadding: 4,
    },
    legend: {...text, labelColor: colours.ink, titleColor: colours.muted, labelLimit: 240},
    title: {font: fontStack, color: colours.ink, anchor: 'start', fontSize: 14, offset: 12},
    text: {font: fontStack, color: colours.ink, fontSize: 11},
  };
}
