// The pages of a shortened part of the paper and of another problem, opened as files in Chromium.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import test, {after, before} from 'node:test';
import {pathToFileURL} from 'node:url';

import {cleanUp, eventually, launch, open, plotOf, require, sau, scrollThrough,
        temporaryFolder} from './support.mjs';

// With the paper's number of steps, so that the page shows the paper's numbers too.
const wheels = ['wheel-0.50', 'wheel-0.90', 'wheel-0.99'];
const wheel = wheels[0];
const algorithms = ['LinearPosterior', 'LinearGreedy', 'NeuralGreedy', 'Linear-SAU-S',
                    'Neural-SAU-S', 'Uniform'];
let browser, address, ownAddress, shared;

before(async () => {
  const folder = await temporaryFolder();
  const [paper, own, page, ownPage] =
    ['paper', 'own', 'page.html', 'own.html'].map((name) => join(folder, name));
  await sau('run', ...wheels.flatMap((name) => ['--problem', name]),
            ...algorithms.flatMap((name) => ['--agent', name]), '--trials', '3', '--out', paper,
            '--quiet');
  await sau('run', '--problem', 'bernoulli(actions=5,gap=0.2)', '--agent', 'sau_ucb', '--agent',
            'ts', '--steps', '500', '--trials', '12', '--out', own, '--quiet');
  await sau('report', paper, own, '-o', page);
  await sau('report', own, '-o', ownPage);
  address = pathToFileURL(page).href;
  ownAddress = pathToFileURL(ownPage).href;
  browser = await launch();
  shared = await open(browser, address);
});

after(cleanUp);

const chip = (page, name) => page.locator(`.chip[data-algorithm="${name}"]`);
const labels = (host) => host.locator('svg').evaluate((svg) =>
  [...svg.querySelectorAll('text')].map((text) => text.textContent));
const lines = (host) => host.locator('svg g.mark-line path').count();
const column = (page, table, j) => page.locator(`${table} ~ div tbody tr`).evaluateAll(
  (rows, place) => rows.map((row) => row.cells[place].textContent), j);
const numberIn = (text) => Number(text.split('\u00b1')[0].replaceAll(',', ''));

test('the page opens from a file and loads nothing else', async () => {
  const {page, complaints, requests} = shared;
  assert.deepEqual(requests.filter((url) => !/^(file|data|blob):/.test(url)), []);
  assert.deepEqual(complaints, []);
});

test('a figure is drawn when it becomes visible, and not before', async () => {
  const {page, complaints} = shared;
  const hosts = page.locator('.plot-host');
  assert.ok(await hosts.count() > await page.locator('.plot-host svg').count());
  await scrollThrough(page);
  const empty = await hosts.evaluateAll((all) => all
    .filter((host) => host.querySelectorAll('svg .role-mark path, svg .role-mark line').length < 3)
    .map((host) => host.getAttribute('aria-label')));
  assert.deepEqual(empty, []);
  const kinds = await page.locator('[data-plot]').evaluateAll((all) =>
    [...new Set(all.map((one) => one.dataset.plot))].sort());
  assert.deepEqual(kinds, ['curves', 'distribution', 'parameter', 'ranks', 'times']);
  assert.deepEqual(complaints, []);
});

test('hiding an algorithm removes it from figures and tables, showing brings it back', async () => {
  const {page} = shared;
  const curves = await plotOf(page, wheel, 'curves');
  const boxes = await plotOf(page, wheel, 'distribution');
  const before = await lines(curves);
  await chip(page, 'Uniform').click();
  assert.equal(await chip(page, 'Uniform').getAttribute('aria-pressed'), 'false');
  await eventually(() => lines(curves), before - 1);
  assert.ok(!(await labels(boxes)).includes('Uniform'));
  assert.ok(!(await column(page, '#table-wheel-0', 0)).includes('Uniform'));
  await chip(page, 'Uniform').click();
  await eventually(() => lines(curves), before);
  assert.ok((await labels(boxes)).includes('Uniform'));
});

test('only one algorithm, none, or all can be shown', async () => {
  const {page} = shared;
  const curves = await plotOf(page, wheel, 'curves');
  const before = await lines(curves);
  await chip(page, 'Neural-SAU-S').click({modifiers: ['Alt']});
  await eventually(() => lines(curves), 1);
  await chip(page, 'LinearGreedy').press('o');
  assert.equal(await page.locator('.chip[aria-pressed=true]').count(), 1);
  await page.getByRole('button', {name: 'none: hide all algorithms'}).click();
  await eventually(() => lines(curves), 0);
  await page.getByRole('button', {name: 'all: show all algorithms'}).click();
  await eventually(() => lines(curves), before);
});

test('axes, medians and single trials can be chosen for one figure or for all', async () => {
  const {page} = shared;
  const curves = await plotOf(page, wheel, 'curves');
  const before = await lines(curves);
  const press = (name) => page.locator(`#figure-wheel-0\\.50 [data-plot=curves] .toggle`,
                                       {hasText: name}).click();
  await press('log x');
  assert.ok((await labels(curves)).includes('step (log)'));
  await press('median');
  assert.ok((await labels(curves)).includes('median cumulative regret'));
  await press('trials');
  await eventually(() => lines(curves), before + 3 * before);  // three trials of each
  await press('trials');
  await press('median');
  await press('log x');
  const all = page.getByRole('group', {name: 'All figures'});
  await all.getByRole('button', {name: 'log y'}).click();
  assert.ok((await labels(curves)).includes('mean cumulative regret (log)'));
  const other = await plotOf(page, 'wheel-0.90', 'distribution');
  assert.ok((await labels(other)).includes('final regret (log)'));
  await all.getByRole('button', {name: 'log y'}).click();
});

test('dragging zooms, a double click shows all, the wheel alone scrolls the page', async () => {
  const {page} = shared;
  const curves = await plotOf(page, wheel, 'curves');
  const ticks = async () => (await labels(curves)).sort().join(' ');
  const whole = await ticks();
  const {x, y, width} = await curves.boundingBox();
  await page.mouse.move(x + width * 0.5, y + 60);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.8, y + 160, {steps: 3});
  await page.mouse.up();
  assert.notEqual(await ticks(), whole);
  await curves.dblclick({position: {x: width * 0.6, y: 100}});
  assert.equal(await ticks(), whole);
  const top = await page.evaluate(() => window.scrollY);
  await page.mouse.wheel(0, 120);
  await page.waitForFunction((from) => window.scrollY !== from, top);
  assert.equal(await ticks(), whole);
  await curves.scrollIntoViewIfNeeded();
  const now = await curves.boundingBox();
  await page.mouse.move(now.x + width / 2, now.y + 100);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -120);
  await page.keyboard.up('Control');
  await eventually(async () => (await ticks()) !== whole, true);
  await curves.press('0');
  assert.equal(await ticks(), whole);
});

test('the pointer and the arrow keys show the values at a step', async () => {
  const {page} = shared;
  const curves = await plotOf(page, wheel, 'curves');
  const {width} = await curves.boundingBox();
  await curves.hover({position: {x: width * 0.7, y: 120}});
  const tip = page.locator('#tip');
  await tip.waitFor();
  assert.match(await tip.textContent(), /^Step [\d,]+ .*95 % interval.*trials.*Neural-SAU-S/);
  await page.mouse.move(2, 2);
  await tip.waitFor({state: 'hidden'});
  await curves.focus();
  await curves.press('ArrowRight');
  const first = await tip.textContent();
  await curves.press('ArrowRight');
  assert.notEqual(await tip.textContent(), first);
});

test('a column sorts up, down or not at all, by our number, the paper\u2019s or z', async () => {
  const {page} = shared;
  const table = '#table-wheel-0';
  const header = page.locator(`${table} ~ div th`).nth(1);
  const sorted = (values) => values.every((value, i) => i === 0 || values[i - 1] <= value);
  const names = await column(page, table, 0);
  await header.getByRole('button').click();
  assert.equal(await header.getAttribute('aria-sort'), 'ascending');
  assert.ok(sorted((await column(page, table, 1)).map(numberIn)));
  await header.getByRole('button').click();
  assert.equal(await header.getAttribute('aria-sort'), 'descending');
  assert.ok(sorted((await column(page, table, 1)).map(numberIn).reverse()));
  await page.getByLabel(/^Number to sort by/).first().selectOption('paper');
  const paper = await page.locator(`${table} ~ div tbody tr td:nth-child(2) .paper`)
    .allTextContents();
  assert.ok(paper.length === algorithms.length && sorted(paper.map(numberIn).reverse()));
  await page.getByLabel(/^Number to sort by/).first().selectOption('z');
  const z = await page.locator(`${table} ~ div tbody tr td:nth-child(2) .z`).allTextContents();
  const value = (text) => Number(text.replace('\u2212', '-').replace(/[?\u00b1+,]/g, ''));
  assert.ok(z.length === algorithms.length && sorted(z.map(value).reverse()), z.join());
  await header.getByRole('button').click();
  assert.equal(await header.getAttribute('aria-sort'), 'none');
  assert.deepEqual(await column(page, table, 0), names);
});

test('a cell shows its explanation on hover and focus, and keeps it open on a click', async () => {
  const {page} = shared;
  const tip = page.locator('#tip');
  const cells = page.locator('#table-wheel-0 ~ div .cell');
  await cells.first().hover();
  assert.match(await tip.textContent(), /settings.*trials3.*95 % interval.*paper.*difference/s);
  await page.mouse.move(2, 2);
  await cells.first().focus();
  const first = await tip.textContent();
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await tip.textContent(), first);
  await page.keyboard.press('Enter');
  assert.equal(await tip.getAttribute('role'), 'dialog');
  await page.keyboard.press('Escape');
  assert.ok(await tip.isHidden());
  assert.ok(await page.evaluate(() => document.activeElement.classList.contains('cell')));
  await page.locator('#table-wheel-0 ~ div tr', {hasText: 'NeuralGreedy'}).locator('.cell').first()
    .click();
  const link = tip.getByRole('link').first();
  const target = await link.getAttribute('href');
  assert.match(target, /^#difference-/);
  await link.click();
  assert.ok(await page.locator(target).isVisible());
  await page.keyboard.press('Escape');
});

test('wins of one are losses of the other, and the reference can be chosen', async () => {
  const {page} = shared;
  const card = page.locator('#figure-wheel-0\\.50');
  await card.locator('summary').first().click();
  const forest = await plotOf(page, wheel, 'forest');
  const counts = await card.locator('.matrix tbody tr').evaluateAll((rows) => rows.map((row) =>
    [...row.cells].slice(1).map((cell) => cell.textContent.match(/\d+/g)?.map(Number) ?? null)));
  assert.equal(counts.length, algorithms.length);
  counts.forEach((row, i) => row.forEach((cell, j) => {
    if (i === j) assert.equal(cell, null);
    else assert.deepEqual(cell, [...counts[j][i]].reverse());
  }));
  await card.getByLabel(/^Reference/).selectOption('Uniform');
  const shown = await labels(forest);
  assert.ok(shown.some((text) => text.includes('regret to Uniform')));
  assert.ok(!shown.includes('Uniform') && shown.includes('LinearGreedy'));
});

test('a picture is saved as SVG and PNG, its numbers as CSV', async () => {
  const {page} = shared;
  const plot = page.locator('#figure-wheel-0\\.50 [data-plot=curves]');
  await plotOf(page, wheel, 'curves');
  const saved = async (name) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'), plot.getByRole('button', {name}).click()]);
    return {name: download.suggestedFilename(), bytes: await readFile(await download.path())};
  };
  const svg = await saved(/SVG/);
  assert.match(svg.name, /^regret-against-step.*\.svg$/);
  const text = svg.bytes.toString();
  const problem = await page.evaluate((source) =>
    new DOMParser().parseFromString(source, 'image/svg+xml').querySelector('parsererror'), text);
  assert.equal(problem, null);
  assert.ok(text.includes('Neural-SAU-S') && text.includes('Regret against step'));
  const png = await saved(/PNG/);
  assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
  assert.ok(png.bytes.readUInt32BE(16) >= 1200 && png.bytes.length > 10000);
  const csv = (await saved(/CSV/)).bytes.toString().split('\n');
  assert.equal(csv[0], 'problem,algorithm,step,trials,mean,low,high,median');
  assert.ok(csv.length > 50 * algorithms.length);
});

test('a picture that cannot be made says why', async () => {
  const {page} = await open(browser, address);
  const plot = page.locator('#figure-wheel-0\\.50 [data-plot=curves]');
  await plotOf(page, wheel, 'curves');
  await page.evaluate(() => {
    HTMLCanvasElement.prototype.toBlob = (made) => made(null);
  });
  await plot.getByRole('button', {name: /PNG/}).click();
  await plot.getByText('It cannot be saved: the picture is too large.').waitFor();
  await page.close();
});

test('controls and figures are accessible in light and dark', async () => {
  const source = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');
  for (const colorScheme of ['light', 'dark']) {
    const {page} = await open(browser, address, {colorScheme});
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
    await page.locator('summary').first().click();
    await page.evaluate(source);
    const violations = await page.evaluate(async () => {
      const result = await window.axe.run({exclude: [['svg']]}, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
      });
      return result.violations.map((one) =>
        `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
    });
    assert.deepEqual(violations, [], colorScheme);
    const names = await page.locator('.plot-host').evaluateAll((all) =>
      all.map((host) => host.getAttribute('aria-label') ?? ''));
    assert.ok(names.every((name) => name.length > 40), names.join('\n'));
    assert.equal(new Set(names).size, names.length);
    await page.close();
  }
});

test('the theme can be chosen, and figures follow', async () => {
  const {page} = shared;
  const curves = await plotOf(page, wheel, 'curves');
  const colour = () => curves.locator('svg g.mark-line path').first().getAttribute('stroke');
  const light = await colour();
  await page.getByLabel('Theme').selectOption('dark');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  assert.notEqual(await colour(), light);
  await page.getByLabel('Theme').selectOption('auto');
  assert.equal(await colour(), light);
});

test('on a phone nothing is too wide, and wide tables scroll in their frames', async () => {
  const {page, complaints} = await open(browser, address,
    {viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true});
  await scrollThrough(page);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
  const scrolls = await page.locator('.frame').evaluateAll((all) =>
    all.some((frame) => frame.scrollWidth > frame.clientWidth));
  assert.ok(scrolls);
  await page.locator('#table-wheel-0 ~ div .cell').first().tap();
  assert.ok(await page.locator('#tip').isVisible());
  assert.deepEqual(complaints, []);
  await page.close();
});

test('other problems have the same page without the paper\u2019s numbers', async () => {
  const {page, complaints} = await open(browser, ownAddress);
  await scrollThrough(page);
  assert.ok(await page.locator('.heat .cell').count() >= 2);
  assert.equal(await page.locator('.cell .paper, .cell .z, .key, #section-differences').count(), 0);
  assert.equal(await page.getByLabel(/^Number to sort by/).count(), 0);
  assert.equal(await page.locator('.plot-host:not(:has(svg))').count(), 0);
  assert.deepEqual(complaints, []);
  await page.close();
});

test('an address with an anchor opens at that place', async () => {
  const {page} = await open(browser, `${address}#figure-wheel-0.99`);
  const top = await page.locator('#figure-wheel-0\\.99').evaluate((card) =>
    card.getBoundingClientRect().top);
  assert.ok(top > 0 && top < 300, `${top}`);
  await page.close();
});

test('printing draws everything, in light colours', async () => {
  const {page, complaints} = await open(browser, address, {colorScheme: 'dark'});
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
  assert.equal(await page.locator('.plot-host:not(:has(svg))').count(), 0);
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  assert.deepEqual(complaints, []);
  await page.close();
});

test('the shared page had no errors or warnings', () => {
  assert.deepEqual(shared.complaints, []);
});
