// A page with names and specs of 70 characters: no text leaves its box, on a desk and on a phone.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import test, {after, before} from 'node:test';
import {pathToFileURL} from 'node:url';

import {cleanUp, launch, open, sau, scrollThrough, temporaryFolder} from './support.mjs';

const long = (start) => start.padEnd(70, ' and some more words that say what it is');
// A spec has no blanks at which a line could break.
const specs = {
  problem: 'linear(actions=10,dim=10,noise=0.25,theta=normal,contexts=ar1,rho=0.9)',
  agent: 'linear(lambda=0.25,intercept=true)+epsilon_greedy(epsilon=0.046,decay=0.93)',
};
let browser, address;

before(async () => {
  const folder = await temporaryFolder();
  const [results, page] = ['results', 'page.html'].map((name) => join(folder, name));
  const agents = ['sau_ucb', 'sau_sampling', 'ts', 'ucb1', 'uniform'];
  await sau('run', '--problem', `${long('A problem')}=bernoulli(actions=3,gap=0.3)`, '--problem',
            `${long('Another problem')}=linear(dim=3)`, '--problem', specs.problem, '--agent', specs.agent,
            '--agent', 'linear(lambda=0.123456789,intercept=true,columns=1000)+greedy',
            '--steps', '100', '--trials', '4', '--out', results, '--quiet',
            ...agents.flatMap((agent) => ['--agent', `${long(`My ${agent}`)}=${agent}`]));
  await sau('report', results, '-o', page);
  address = pathToFileURL(page).href;
  browser = await launch();
});

after(cleanUp);

// Texts of figures that leave their figure, and texts of the page that leave the window or a box
// that hides what does not fit.
const outside = (page) => page.evaluate(() => {
  const slack = 1.5;
  const within = (inner, outer) => inner.left >= outer.left - slack &&
    inner.right <= outer.right + slack && inner.top >= outer.top - slack &&
    inner.bottom <= outer.bottom + slack;
  const found = [];
  for (const text of document.querySelectorAll('.plot-host svg text')) {
    const box = text.getBoundingClientRect();
    if (box.width === 0 || text.textContent.trim() === '') continue;
    const svg = text.closest('svg').getBoundingClientRect();
    if (!within(box, svg)) found.push(`figure: ${text.textContent}`);
  }
  const scrolls = (element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX);
  const hides = (element) => getComputedStyle(element).overflowX === 'hidden' &&
    getComputedStyle(element).textOverflow !== 'ellipsis';
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.textContent.trim() === '' || node.parentElement.closest('svg, script, style, .skip')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width === 0) continue;
    const own = node.parentElement.closest('article, td, th, .tip');
    const border = own?.getBoundingClientRect();
    if (border && (box.left < border.left - slack || box.right > border.right + slack)) {
      found.push(`${own.tagName}: ${node.textContent.trim()}`);
    }
    let parent = node.parentElement;
    while (parent !== null && !scrolls(parent) && !hides(parent)) parent = parent.parentElement;
    if (parent !== null && scrolls(parent)) continue;
    const room = (parent ?? document.documentElement).getBoundingClientRect();
    if (box.left < room.left - slack || box.right > room.right + slack) {
      found.push(`page: ${node.textContent.trim()}`);
    }
  }
  if (document.documentElement.scrollWidth > window.innerWidth + 1) found.push('the page scrolls');
  return found;
});

// Pairs of names beside marks in "time against regret" that lie on each other.
const overlapping = (page) => page.evaluate(() => {
  const names = [...document.querySelectorAll('[id^="figure-time"] .mark-text.role-mark text')];
  const boxes = names.map((name) => name.getBoundingClientRect());
  const found = [];
  for (let i = 0; i < boxes.length; ++i) {
    for (let j = 0; j < i; ++j) {
      const [a, b] = [boxes[i], boxes[j]];
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 2 && down > 4) found.push(`${names[i].textContent}: ${names[j].textContent}`);
    }
  }
  return {names: names.length, found};
});

for (const width of [1280, 390]) {
  test(`at ${width} pixels no text leaves its box`, async () => {
    const {page, complaints} = await open(browser, address, {viewport: {width, height: 900}});
    await scrollThrough(page);
    assert.ok(await page.locator('.plot-host svg text').count() > 50);
    assert.ok(await page.locator('.must-see li').count() > 0, 'a note with a spec');
    assert.deepEqual(await outside(page), []);
    const {names, found} = await overlapping(page);
    assert.ok(names >= 6);
    assert.deepEqual(found, []);
    // The same with a tooltip.
    await page.locator('.cell').last().scrollIntoViewIfNeeded();
    await page.locator('.cell').last().hover();
    await page.waitForSelector('.tip:not([hidden])');
    assert.deepEqual(await outside(page), []);
    assert.deepEqual(complaints, []);
    await page.close();
  });
}
