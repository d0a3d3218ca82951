// The page of `sau serve`, with a small server that the test can change and stop.
import assert from 'node:assert/strict';
import {readFile, stat} from 'node:fs/promises';
import {join} from 'node:path';
import test, {after, before} from 'node:test';

import {hostile, makeCluster, makeStatus, serve} from './live_fixture.mjs';
import {cleanUp, eventually, launch, open, require, work} from './support.mjs';

const answers = {status: makeStatus(), asked: []};
let browser, server;

before(async () => {
  browser = await launch();
  server = await serve(answers);
});
after(async () => {
  await server.stop();
  await cleanUp();
});

const phone = {viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true};
const column = (page, name, j) => page.getByRole('region', {name: `Table of ${name}`})
  .locator('tbody tr').evaluateAll((rows, place) => rows.map((row) => row.cells[place].textContent), j);

async function violations(page) {
  await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
  return page.evaluate(async () => {
    const result = await window.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
    });
    return result.violations.map((one) =>
      `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
  });
}

test('the page is small, and shows the status of the service', async () => {
  assert.ok((await stat(join(work, '..', 'live.html'))).size < 100_000);
  const {page, complaints} = await open(browser, server.address);
  const tile = (name) => page.locator('.tile', {hasText: name}).locator('dd').allTextContents();
  assert.deepEqual(await tile('Decisions'), ['1.30 M', '431 per second']);
  assert.deepEqual(await tile('Mean reward'), ['0.374',
    '+0.083 over the baseline, 95 %: +0.061 to +0.105']);
  assert.deepEqual(await tile('Log'), ['734 MB', 'learner is 12 behind']);
  assert.deepEqual(await tile('Gain of the candidate'),
                   ['+0.012', '\u22120.004 to +0.029, 4,120 events']);
  const ids = await column(page, 'actions', 0);
  assert.deepEqual(ids, answers.status.actions.map((action) => action.id));
  assert.deepEqual((await column(page, 'actions', 1)).slice(0, 2), ['41 %', '22 %']);
  assert.equal((await column(page, 'actions', 4))[1], '0.377 \u00b1 0.012');
  assert.equal(await page.locator('.chart-host path.line').count(), 3);
  assert.deepEqual(await column(page, 'members', 0), ['hashed_linear(relative=true)', 'hashed_mlp']);
  assert.deepEqual(await column(page, 'members', 1),
                   ['82 %', 'left out: diverged: a weight is not finite']);
  assert.deepEqual(complaints, []);
  await page.close();
});

test('only a committee has a table of members', async () => {
  answers.status.members = [];
  const {page} = await open(browser, server.address);
  assert.equal(await page.getByRole('heading', {name: 'Committee'}).count(), 0);
  answers.status = makeStatus();
  await page.close();
});

test('a trainer shows the machines of its application', async () => {
  const {page, complaints} = await open(browser, server.address);
  const heading = page.getByRole('heading', {name: 'Machines'});
  assert.equal(await heading.count(), 0, 'a single service has none');
  answers.status.cluster = makeCluster();
  await eventually(() => heading.count(), 1);
  assert.deepEqual(await column(page, 'nodes', 1), ['shop-1', hostile, 'shop-3']);
  assert.deepEqual(await column(page, 'nodes', 2), ['ready', 'not ready', 'silent for 42 s']);
  assert.deepEqual(await column(page, 'nodes', 5), ['1,841', '1,839 of 1,841', '1,841']);
  assert.deepEqual(await column(page, 'trainers', 0),
                   ['11aa22bb33cc44dd (this one)', '55ee66ff77008899']);
  assert.deepEqual(await column(page, 'trainers', 1), ['leads', 'stands by']);
  answers.status.cluster.fault = 'another trainer has the same id';
  await eventually(() => page.getByText('another trainer has the same id').count(), 1);
  assert.equal(await page.evaluate(() => window.broken), undefined);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(complaints, []);
  answers.status = makeStatus();
  await page.close();
});

test('the page follows the service', async () => {
  const {page} = await open(browser, server.address);
  const refused = page.locator('.tile', {hasText: 'Refused'}).locator('.figure');
  assert.equal(await refused.textContent(), '17');
  answers.status.totals.refused = 18;
  await eventually(() => refused.textContent(), '18');
  answers.status.ready = false;
  await eventually(async () => (await page.locator('.status').textContent()).startsWith('starting'),
                   true);
  answers.status = makeStatus();
  await page.close();
});

test('the curves look back as far as one likes', async () => {
  const {page, complaints} = await open(browser, server.address);
  const labels = () => page.locator('.chart').first().locator('svg[role=img] text').allTextContents();
  const summary = () => page.locator('.chart').first().locator('svg[role=img]').getAttribute('aria-label');
  assert.match(await summary(), /^Per second, the last five minutes; now decisions 3\d\d/);
  for (const [span, label] of [['hour', /^\d\d:[0-5]0$/], ['day', /^\d\d:00$/], ['week', /^\d+ Nov$/]]) {
    await page.getByLabel('Curves of the').selectOption(span);
    await eventually(async () => (await summary()).includes(`the last ${span};`), true);
    assert.match(await summary(), /now decisions (3|4)\d\d/, 'per second, whatever the span');
    assert.ok((await labels()).filter((one) => label.test(one)).length >= 3, `labels of ${span}`);
  }
  assert.deepEqual(answers.asked.filter((one) => one.startsWith('/v1/history/')).slice(0, 1),
                   ['/v1/history/hour']);
  await page.getByLabel('Curves of the').selectOption('minutes');
  await eventually(async () => (await summary()).includes('five minutes'), true);
  assert.deepEqual(complaints, []);
  await page.close();
});

test('a decision can be explained by its row or by its id', async () => {
  const {page, complaints} = await open(browser, server.address);
  await page.locator('button[data-event]').nth(2).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('table').first().waitFor();
  assert.equal(await dialog.locator('tr.chosen th').textContent(), 'achosen');
  const explained = (name) => dialog.getByRole('region', {name}).locator('tbody tr');
  assert.equal(await explained('The actions of this decision').count(), 9);
  assert.deepEqual(await explained('The members of the committee').locator('td').allTextContents(),
                   ['75 %', '25 %']);
  assert.deepEqual((await explained('The actions of this decision').locator('td:nth-child(4)')
    .allTextContents()).slice(0, 2), ['0.000', '0.040']);
  assert.match(await dialog.textContent(), /0\.200, 25 % pooled/);
  assert.match(await dialog.locator('.facts').textContent(), /0\.700 at .*; 0\.200 at .*, too late/);
  await page.keyboard.press('Escape');
  assert.equal(await dialog.count(), 0);
  // A model that is no committee has no members, and no bonus.
  await page.getByLabel('Explain event').fill('plain');
  await page.keyboard.press('Enter');
  await dialog.locator('table').first().waitFor();
  assert.equal(await dialog.locator('table').count(), 1);
  assert.ok(!(await dialog.textContent()).toLowerCase().includes('bonus'));
  await page.keyboard.press('Escape');
  await page.getByLabel('Explain event').fill('unknown');
  await page.keyboard.press('Enter');
  await dialog.getByText('There is no decision with this event id.').waitFor();
  await dialog.getByLabel('Close').click();
  // The browser itself reports the 404.
  assert.deepEqual(complaints.filter((one) => !one.includes('404')), []);
  await page.close();
});

test('an id that looks like markup is shown as text and sent unchanged', async () => {
  const {page, complaints} = await open(browser, server.address);
  assert.equal(await page.locator('img').count(), 0);
  assert.ok((await column(page, 'actions', 0)).includes(hostile));
  await page.getByRole('button', {name: hostile}).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('table').first().waitFor();
  assert.equal(await dialog.locator('h2 code').textContent(), hostile);
  assert.ok(answers.asked.includes(`/v1/decisions/${encodeURIComponent(hostile)}`));
  assert.equal(await page.evaluate(() => window.broken), undefined);
  assert.equal(await page.locator('img').count(), 0);
  assert.deepEqual(complaints, []);
  await page.close();
});

test('the content security policy lets no other script run', async () => {
  const {page, complaints} = await open(browser, server.address);
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.broken = 1';
    document.body.append(script);
    document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.broken=1">');
  });
  await eventually(() => complaints.length >= 2, true);
  assert.equal(await page.evaluate(() => window.broken), undefined);
  assert.ok(complaints.every((one) => one.includes('Content Security Policy')), complaints.join('\n'));
  await page.close();
});

test('the page asks for a key if one is needed, and keeps it for the tab', async () => {
  answers.key = 'right';
  const {page} = await open(browser, server.address);
  const field = page.getByLabel('Key', {exact: true});
  assert.equal(await page.locator('.tiles').isVisible(), false);
  await field.fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByText('The service does not know this key.').waitFor();
  assert.deepEqual(await violations(page), []);
  await field.fill('right');
  await page.keyboard.press('Enter');
  await page.locator('.tiles').waitFor();
  assert.equal(await field.isVisible(), false);
  await page.reload();
  await page.locator('.tiles').waitFor();
  await page.locator('button[data-event]').first().click();
  await page.getByRole('dialog').locator('table').first().waitFor();
  delete answers.key;
  await page.close();
});

test('the page says when the server is gone, and continues when it is back', async () => {
  const {page} = await open(browser, server.address);
  const {port} = server;
  await server.stop();
  await eventually(() => page.locator('.status').textContent(), 'not reachable');
  assert.match(await page.locator('.lost').textContent(), /The numbers below are from \d/);
  assert.equal(await page.locator('.tiles').isVisible(), true);
  server = await serve(answers, port);
  await eventually(async () => (await page.locator('.status').textContent()).startsWith('live'), true);
  assert.equal(await page.locator('.lost').isVisible(), false);
  await page.close();
});

test('an error of the page is not taken for a server that is gone', async () => {
  const {page, complaints} = await open(browser, server.address);
  answers.status = {...makeStatus(), now: null};
  await eventually(async () => (await page.locator('.status').textContent()).startsWith('cannot be shown'),
                   true);
  assert.match(await page.locator('.lost').textContent(), /^This page has an error/);
  assert.match(complaints[0], /TypeError/);
  answers.status = makeStatus();
  await eventually(async () => (await page.locator('.status').textContent()).startsWith('live'), true);
  assert.equal(await page.locator('.lost').isVisible(), false);
  await page.close();
});

test('the page works for a service that has done nothing yet', async () => {
  const full = makeStatus();
  answers.status = {
    ...full, history: full.history.map((one) => ({...one, ranks: 0, rewards: 0, meanReward: null})),
    actions: [], actionCount: 0, recent: [],
    totals: Object.fromEntries(Object.keys(full.totals).map((name) => [name, 0])),
    now: {ranksPerSecond: 0, rewardsPerSecond: 0, meanReward: null, baselineReward: null, gain: null,
          explorationRate: null, apprenticeAgreement: null},
  };
  const {page, complaints} = await open(browser, server.address);
  await page.getByText('No action has been offered yet.').waitFor();
  await page.getByText('Nothing yet.').waitFor();
  assert.doesNotMatch(await page.locator('main').textContent(), /NaN|undefined|null|Infinity/);
  assert.deepEqual(complaints, []);
  answers.status = makeStatus();
  await page.close();
});

test('the page is accessible in light and dark, wide and on a phone', async () => {
  for (const options of [{colorScheme: 'light'}, {colorScheme: 'dark'}, {...phone}]) {
    const {page} = await open(browser, server.address, options);
    assert.deepEqual(await violations(page), [], JSON.stringify(options));
    await page.locator('button[data-event]').first().click();
    await page.getByRole('dialog').locator('table').first().waitFor();
    assert.deepEqual(await violations(page), [], JSON.stringify(options));
    await page.close();
  }
});

test('on a phone nothing is too wide', async () => {
  answers.status.cluster = makeCluster();
  const {page} = await open(browser, server.address, phone);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390);
  const tables = await page.locator('.frame').evaluateAll((all) =>
    all.map((frame) => frame.scrollWidth - frame.clientWidth));
  assert.deepEqual(tables, [0, 0, 0, 0, 0]);
  await page.locator('button[data-event]').first().click();
  await page.getByRole('dialog').locator('table').first().waitFor();
  const wide = await page.getByRole('dialog').evaluate((box) => box.getBoundingClientRect().width);
  assert.ok(wide <= 390, `${wide}`);
  answers.status = makeStatus();
  await page.close();
});
