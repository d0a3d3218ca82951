// The bar that stays visible: sections, algorithms to show and hide, choices for all figures.
import {allAlgorithms, swatch} from './algorithms';
import {h, toggle} from './dom';
import type {Report} from './report';
import {type FigureChoices, state} from './state';
import {chooseTheme, type ThemeChoice, themeChoice} from './theme';

export function sectionLinks(report: Report): {id: string; title: string}[] {
  const links = report.sections.map(({id, title}) => ({id: `section-${id}`, title}));
  if (report.theory.length > 0) links.push({id: 'section-theory-checks', title: 'Theory'});
  if (report.differences.length > 0) {
    links.push({id: 'section-differences', title: 'What differs'});
  }
  return links;
}

function navigation(report: Report): HTMLElement {
  const nav = h('nav', {'aria-label': 'Sections'});
  for (const {id, title} of sectionLinks(report)) nav.append(h('a', {href: `#${id}`}, title));
  return nav;
}

// Marks the section that is being read.
export function followSections(nav: HTMLElement, sections: Iterable<Element>): () => void {
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const link of nav.querySelectorAll('a')) {
        if (link.hash === `#${entry.target.id}`) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
      }
    }
  }, {rootMargin: '-25% 0px -70% 0px'});
  for (const section of sections) observer.observe(section);
  return () => observer.disconnect();
}

function only(name: string): void {
  const others = allAlgorithms().filter((other) => other !== name);
  state.setVisible([name], true);
  state.setVisible(others, false);
}

function chip(name: string): HTMLElement {
  const button = h('button', {
    type: 'button', class: 'chip', 'data-algorithm': name,
    title: `${name}: click to show or hide; double-click, Alt+click or the key O to show only it`,
  }, swatch(name), name);
  button.addEventListener('click', (event) => {
    if (event.altKey) only(name);
    else state.setVisible([name], !state.visible(name));
  });
  button.addEventListener('dblclick', () => only(name));
  button.addEventListener('keydown', (event) => {
    if (event.key === 'o' || event.key === 'O') only(name);
  });
  return button;
}

function chips(): {element: HTMLElement; refresh(): void} {
  const element = h('div', {class: 'chips', role: 'group', 'aria-label': 'Algorithms shown'});
  const refresh = () => {
    const every = (text: string, visible: boolean) => h('button', {
      type: 'button', class: 'tool',
      'aria-label': `${text}: ${visible ? 'show' : 'hide'} all algorithms`,
      click: () => state.setVisible(allAlgorithms(), visible),
    }, text);
    element.replaceChildren(every('all', true), every('none', false),
                            ...allAlgorithms().map(chip));
    press();
  };
  const press = () => {
    for (const one of element.querySelectorAll<HTMLElement>('.chip')) {
      one.setAttribute('aria-pressed', String(state.visible(one.dataset.algorithm!)));
    }
  };
  state.listen((change) => {
    if (change === 'algorithms') press();
    if (change === 'theme') refresh();
  });
  refresh();
  return {element, refresh};
}

// Sets all figures, and overrides what was chosen for single ones.
function figureChoices(): HTMLElement {
  const chosen: Partial<FigureChoices> = {};
  const flag = (text: string, title: string, name: 'logX' | 'logY' | 'single' | 'everyPoint') =>
    toggle(text, title, () => chosen[name] ?? false, () => {
      chosen[name] = !(chosen[name] ?? false);
      state.setAllFigures({[name]: chosen[name]});
    }).element;
  return h('div', {class: 'tools', role: 'group', 'aria-label': 'All figures'},
    h('span', {class: 'quiet'}, 'all figures'),
    flag('log x', 'Logarithmic horizontal axes in all figures', 'logX'),
    flag('log y', 'Logarithmic axes of regret in all figures', 'logY'),
    toggle('median', 'Medians in all figures', () => chosen.centre === 'median', () => {
      chosen.centre = chosen.centre === 'median' ? 'mean' : 'median';
      state.setAllFigures({centre: chosen.centre});
    }).element,
    flag('trials', 'Single trials in all figures', 'single'),
    flag('every point', 'Extend the axes of distributions to the farthest trial', 'everyPoint'));
}

function themeSwitch(): HTMLElement {
  const select = h('select', {'aria-label': 'Theme'},
    ...(['auto', 'light', 'dark'] as const).map((name) => h('option', {value: name}, name)));
  select.value = themeChoice();
  select.addEventListener('change', () => chooseTheme(select.value as ThemeChoice));
  return h('label', {class: 'theme quiet'}, 'theme ', select);
}

export class Bar {
  readonly element: HTMLElement;
  readonly status = h('span', {class: 'status', hidden: true});
  private readonly navPlace = h('div', {class: 'nav-place'});
  private readonly chipRow = chips();

  constructor() {
    this.element = h('div', {class: 'bar', role: 'region', 'aria-label': 'Sections and choices'},
      h('div', {class: 'bar-row'}, this.navPlace, this.status, themeSwitch()),
      h('div', {class: 'bar-row choices'}, this.chipRow.element, figureChoices()));
    // Links to a place on the page must stop below the bar, however many rows it has.
    new ResizeObserver(() => document.documentElement.style.setProperty(
      '--bar', `${this.element.offsetHeight}px`)).observe(this.element);
  }

  update(report: Report): HTMLElement {
    const nav = navigation(report);
    this.navPlace.replaceChildren(nav);
    this.chipRow.refresh();
    return nav;
  }
}
