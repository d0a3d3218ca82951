// Bundles src/ into one page that needs no other file: node build.mjs OUTPUT
import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import * as esbuild from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));

async function bundle(entry) {
  const result = await esbuild.build({
    absWorkingDir: here,
    entryPoints: [join('src', entry)],
    bundle: true,
    minify: true,
    target: 'es2020',
    charset: 'utf8',
    legalComments: 'none',  // see licences()
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  return {text: result.outputFiles[0].text.trim(), files: Object.keys(result.metafile.inputs)};
}

// The licences of the packages that the files belong to; one text for those that share it.
function licences(files) {
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;
  const packages = new Set(files.map((file) => file.match(folder)?.[0]).filter(Boolean));
  const texts = new Map();
  for (const path of [...packages].sort()) {
    const {name, version} = JSON.parse(readFileSync(join(here, path, 'package.json'), 'utf8'));
    const file = readdirSync(join(here, path)).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence file`);
    const text = readFileSync(join(here, path, file), 'utf8').trim();
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...texts].map(([text, names]) => `${names.join(', ')}:\n\n${text}`);
  return parts.join('\n\n----\n\n').replaceAll('--', '- -');  // it is put into a comment
}

// Inside <script> nothing may look like its end.
const asScript = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');

function fill(template, slots) {
  for (const [slot, text] of Object.entries(slots)) {
    const parts = template.split(`<!-- ${slot} -->`);
    if (parts.length !== 2) throw new Error(`page.html must have one slot '${slot}'`);
    template = parts.join(text);
  }
  return template;
}

const output = process.argv[2];
if (output === undefined) {
  console.error('usage: node build.mjs OUTPUT');
  process.exit(2);
}
const style = await bundle('style/page.css');
const script = await bundle('main.ts');
const page = fill(readFileSync(join(here, 'src', 'page.html'), 'utf8'), {
  style: `<style>${style.text}</style>`,
  script: `<script>${asScript(script.text)}</script>`,
  licences: `<!--\nThis page contains:\n\n${licences(script.files)}\n-->`,
});
mkdirSync(dirname(output), {recursive: true});
writeFileSync(output, page);
