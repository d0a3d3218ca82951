// The paper's statements, and the numbers that check them.
import {scrollFrame} from './cells';
import {h} from './dom';
import {number, plain} from './format';
import type {TheoryCheck} from './report';

const signs: Record<string, string> = {equals: '=', 'at most': '\u2264', 'at least': '\u2265'};

function badge(verdict: string): HTMLElement {
  const kind = verdict === 'holds' ? 'good' : verdict.startsWith('holds') ? 'mended' : 'bad';
  const mark = {good: '\u2713', mended: '\u2713', bad: '\u2717'}[kind];
  return h('span', {class: `badge ${kind}`}, `${mark} ${verdict}`);
}

function row(check: TheoryCheck): HTMLElement {
  const tolerance = check.tolerance ? ` \u00b1 ${plain(check.tolerance)}` : '';
  return h('tr', {id: `theory-${check.id}`},
    h('th', {scope: 'row'}, check.where),
    h('td', {}, h('p', {}, check.statement),
      check.note === '' ? null : h('p', {class: 'quiet'}, check.note)),
    h('td', {}, badge(check.verdict)),
    h('td', {class: 'figure'}, number(check.value)),
    h('td', {class: 'figure'},
      `${signs[check.relation] ?? check.relation} ${plain(check.expected)}${tolerance}`),
    h('td', {class: 'quiet'}, check.statistic));
}

export function theoryTable(checks: TheoryCheck[]): HTMLElement {
  const head = h('tr', {});
  for (const name of ['in the paper', 'statement', 'verdict', 'measured', 'expected', 'measure']) {
    head.append(h('th', {scope: 'col'}, name));
  }
  const tally = new Map<string, number>();
  for (const {verdict} of checks) tally.set(verdict, (tally.get(verdict) ?? 0) + 1);
  const words = [...tally].map(([verdict, size]) => `${size} ${verdict}`).join('; ');
  const table = h('table', {class: 'theory'},
    h('caption', {}, `${checks.length} checks: ${words}.`),
    h('thead', {}, head), h('tbody', {}, ...checks.map(row)));
  return scrollFrame('Checks of the theory', table);
}
