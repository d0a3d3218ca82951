// The page as `sau watch` serves it, here from a small server that the test can change and stop.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import {join} from 'node:path';
import test, {after, before} from 'node:test';

import {cleanUp, eventually, launch, listen, open, plotOf, sau, temporaryFolder} from './support.mjs';

let browser, report, html, server;
let answers = [];  // what report.json was answered with

async function serve(port = 0) {
  const started = createServer((request, reply) => {
    if (request.url === '/') {
      reply.setHeader('Content-Type', 'text/html; charset=utf-8').end(html);
      return;
    }
    const body = JSON.stringify(report);
    const tag = `"${body.length}-${report.runs[0].trials}"`;
    const known = request.headers['if-none-match'] === tag;
    answers.push(known ? 304 : 200);
    reply.writeHead(known ? 304 : 200, {ETag: tag, 'Content-Type': 'application/json'});
    reply.end(known ? '' : body);
  });
  await listen(started, port);
  return started;
}

function stop(running) {
  running.closeAllConnections();
  return new Promise((resolve) => running.close(resolve));
}

before(async () => {
  const folder = await temporaryFolder();
  const [run, page] = ['run', 'page.html'].map((name) => join(folder, name));
  await sau('run', '--problem', 'bernoulli(actions=5,gap=0.2)', '--problem', 'bernoulli(gap=0.3)',
            '--agent', 'sau_ucb', '--agent', 'ts', '--steps', '400', '--trials', '10', '--out', run,
            '--quiet');
  await sau('report', run, '-o', page);
  const text = await readFile(page, 'utf8');
  const data = /(<script type="application\/json" id="report-data")>([^<]*)<\/script>/;
  report = JSON.parse(text.match(data)[2]);
  html = text.replace(data, (_, start, json) =>
    `${start} data-live="report.json">${json}</script>`);
  report.runs[0].asked = 100;  // as if the run went on
  browser = await launch();
  server = await serve();
});
after(async () => {
  if (server.listening) await stop(server);
  await cleanUp();
});

test('the page follows a run, keeps the choices made on it, and shows progress', async () => {
  const {port} = server.address();
  const {page, complaints} = await open(browser, `http://127.0.0.1:${port}/`);
  const status = page.locator('.status');
  await eventually(async () => (await status.textContent()).startsWith('live, 40 of 100 trials'),
                   true);
  await eventually(async () => answers.slice(0, 2), [200, 304]);

  // The reader hides an algorithm, zooms and scrolls.
  const figure = report.sections[0].problems[0];
  const curves = await plotOf(page, figure.id, 'curves');
  await page.locator('.chip').first().click();
  await page.locator(`[id="figure-${figure.id}"]`).getByRole('button', {name: /^Zoom in: Regret/})
    .click();
  const ticks = () => curves.locator('svg').evaluate((svg) =>
    [...svg.querySelectorAll('.role-axis-label text')].map((text) => text.textContent).sort());
  const zoomed = await ticks();
  const top = await page.evaluate(() => window.scrollY);

  // More trials of the same problems: the same view with new numbers.
  report.runs[0].trials = 60;
  for (const series of figure.series) series.mean = series.mean.map((value) => value * 1.05);
  await eventually(async () => (await status.textContent()).includes('60 of 100'), true);
  assert.deepEqual(await ticks(), zoomed);
  assert.equal(await page.evaluate(() => window.scrollY), top);
  assert.equal(await page.locator('.chip[aria-pressed=false]').count(), 1);

  // A new problem.
  report.runs[0].trials = 61;
  report.sections[0].problems.push({...figure, id: 'another', title: 'Another problem'});
  await page.locator('#figure-another').waitFor();
  assert.equal(await page.locator('.chip[aria-pressed=false]').count(), 1);
  assert.deepEqual(await ticks(), zoomed);
  assert.equal(await page.evaluate(() => window.scrollY), top);
  assert.deepEqual(complaints, []);

  // The texts of differences and the theory's numbers change, nothing else does.
  report.differences = [{id: 'why', title: 'Why', text: 'The first reason.'}];
  report.theory = [{id: 'one', where: 'eq. 1', statement: 'It holds.', statistic: 'mean', value: 2.5,
                    relation: 'equals', expected: 2, tolerance: 1, verdict: 'holds', note: ''}];
  await page.getByText('The first reason.').waitFor();
  assert.deepEqual(await page.locator('#theory-one td.figure').allTextContents(),
                   ['2.500', '= 2 \u00b1 1']);
  report.differences[0].text = 'Another one.';
  report.theory[0].value = 2.25;
  await page.getByText('Another one.').waitFor();
  assert.equal(await page.locator('#theory-one td.figure').first().textContent(), '2.250');
  report.differences = [];
  report.theory = [];
  await eventually(() => page.locator('#theory-one').count(), 0);

  // A report that the page cannot show is asked for until the page can, and the console has the error.
  const {problems} = report.sections[0];
  report.runs[0].trials = 62;
  report.sections[0].problems = problems.map((one) => ({...one, series: null}));
  await eventually(() => status.getAttribute('data-kind'), 'broken');
  assert.match(await status.textContent(), /^the latest report cannot be shown, last update \d\d:/);
  const asked = answers.length;
  await eventually(() => answers.length >= asked + 2, true);
  assert.ok(!answers.slice(asked).includes(304));
  report.sections[0].problems = problems;
  await eventually(() => status.getAttribute('data-kind'), 'live');
  assert.match(complaints.splice(0).join('\n'), /TypeError/);
  assert.equal(await page.locator('#figure-another').count(), 1);

  // No sections, as before the first trial.
  const {sections} = report;
  report.sections = [];
  await page.getByText('No trial is finished yet.').waitFor();
  report.sections = sections;
  await page.locator('#figure-another').waitFor();
  assert.deepEqual(complaints, []);

  // The program goes away, comes back, and ends.
  await stop(server);
  await eventually(() => status.getAttribute('data-kind'), 'lost');
  assert.match(await status.textContent(), /connection lost, last update \d\d:\d\d:\d\d/);
  server = await serve(port);
  await eventually(() => status.getAttribute('data-kind'), 'live');
  report.runs[0].trials = 100;
  await eventually(() => status.getAttribute('data-kind'), 'complete');
  assert.match(await status.textContent(), /^complete, 100 trials/);
  await page.close();
});
