// A picture of a report, such as the one in README.md:
//   node web/screenshot.mjs PAGE OUTPUT [ID [WIDTH HEIGHT]]
// PAGE is a file made by `sau report`, ID the element at the top of the picture. The packages come
// from a build with tests (build/web/work, or SAU_WEB_WORK); the browser is Debian's chromium, or
// CHROMIUM.
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const [page, output, id, width = '1280', height = '900'] = process.argv.slice(2);
if (output === undefined) {
  console.error('usage: node web/screenshot.mjs PAGE OUTPUT [ID [WIDTH HEIGHT]]');
  process.exit(2);
}
const here = dirname(fileURLToPath(import.meta.url));
const work = process.env.SAU_WEB_WORK ?? join(here, '..', 'build', 'web', 'work');
const {chromium} = createRequire(join(resolve(work), 'package.json'))('playwright-core');

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
         '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
try {
  const tab = await browser.newPage({
    viewport: {width: Number(width), height: Number(height)}, colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  await tab.goto(pathToFileURL(resolve(page)).href);
  await tab.waitForSelector('html[data-ready]');
  if (id !== undefined) await tab.locator(`[id="${id}"]`).evaluate((one) => one.scrollIntoView());
  // Wait until the figures near the window are drawn: two frames and a little more.
  await tab.evaluate(() => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 200)))));
  await tab.screenshot({path: output});
} finally {
  await browser.close();
}
