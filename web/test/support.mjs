// Shared by the tests of the pages. SAU_PROGRAM is the program, SAU_WEB_WORK the build's folder
// with the packages; the browser is Debian's chromium.
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {isDeepStrictEqual, promisify} from 'node:util';

function fromEnvironment(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; ctest sets it`);
  return value;
}

export const work = fromEnvironment('SAU_WEB_WORK');
export const require = createRequire(join(work, 'package.json'));
const program = fromEnvironment('SAU_PROGRAM');

export async function sau(...args) {
  const {stdout} = await promisify(execFile)(program, args, {timeout: 120000});
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

export async function launch() {
  const {chromium} = require('playwright-core');
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
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
      for (let i = 0; i < 50 && host.querySelector('svg') === null; ++i) await frame();
    }
    window.scrollTo(0, 0);
    await frame();
  });
}

// Asks until the answer is the expected one, or fails with the last answer.
export async function eventually(ask, expected) {
  const end = Date.now() + 5000;
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
