// Shared by the tests of the pages. SAU_PROGRAM is the program, SAU_WEB_WORK the build's folder
// with the packages; the browser is Debian's chromium.
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {isDeepStrictEqual, promisify} from 'node:util';

function fromEnvironment(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; ctest sets it`);
  return value;
}

// Milliseconds; far more than anything takes on a slow and busy machine.
export const patience = 300_000;

export const work = fromEnvironment('SAU_WEB_WORK');
export const require = createRequire(join(work, 'package.json'));
const program = fromEnvironment('SAU_PROGRAM');

export async function sau(...args) {
  const {stdout} = await promisify(execFile)(program, args, {timeout: patience});
  return stdout;
}

// For after(): stops and removes what a test file has started and made.
const leftovers = [];
export async function cleanUp() {
  for (const leftover of leftovers.splice(0).reverse()) await leftover();
}

export async function temporaryFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'sau-page-'));
  leftovers.push(() => rm(folder, {recursive: true, force: true}));
  return folder;
}

function listenAt(server, port) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

// Lets a server listen at a port, by default at one that the kernel gives to no connection: nobody gets
// it while the test has stopped the server.
export async function listen(server, port = 0) {
  if (port !== 0) return listenAt(server, port);
  const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
  const [least, first] = [10_000, Number.parseInt(range, 10)];
  for (let tries = 0; tries < 1000 && first > least; ++tries) {
    try {
      return await listenAt(server, least + Math.floor(Math.random() * (first - least)));
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error;
    }
  }
  return listenAt(server, 0);
}

export async function launch() {
  const {chromium} = require('playwright-core');
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    timeout: patience,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
           '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  leftovers.push(() => browser.close());
  return browser;
}

// Opens a page and records its errors, its warnings and its network requests.
export async function open(browser, address, options = {}) {
  const page = await browser.newPage({
    viewport: {width: 1280, height: 900}, colorScheme: 'light', reducedMotion: 'reduce', ...options,
  });
  page.setDefaultTimeout(patience);
  const complaints = [];
  const requests = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.stack ?? String(error)));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(address);
  await page.waitForSelector('html[data-ready]');
  return {page, complaints, requests};
}

// Scrolls past every figure so that it is drawn.
export async function scrollThrough(page) {
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    for (const host of document.querySelectorAll('.plot-host')) {
      host.scrollIntoView();
      for (let i = 0; i < 3000 && host.querySelector('svg') === null; ++i) await frame();
    }
    window.scrollTo(0, 0);
    await frame();
  });
}

// Asks until the answer is the expected one, or fails with the last answer.
export async function eventually(ask, expected) {
  const end = Date.now() + patience;
  for (;;) {
    const answer = await ask();
    if (isDeepStrictEqual(answer, expected)) return;
    if (Date.now() > end) assert.deepEqual(answer, expected);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// Scrolls to a plot of a figure and waits until it is drawn.
export async function plotOf(page, figure, plot) {
  const host = page.locator(`[id="figure-${figure}"] [data-plot=${plot}] .plot-host`);
  await host.scrollIntoViewIfNeeded();
  await host.locator('svg').waitFor();
  return host;
}
