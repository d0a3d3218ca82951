// Bundles a page of src/ into one self-contained file: node build.mjs PAGE OUTPUT
import {createHash} from 'node:crypto';
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

// The licences of the packages that the files belong to; a text that several share appears once.
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
  return parts.join('\n\n----\n\n').replaceAll('--', '- -');  // the text goes into a comment
}

// Inside <script> nothing may look like its closing tag or a comment.
const asScript = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');

function fill(template, slots) {
  for (const [slot, text] of Object.entries(slots)) {
    const parts = template.split(`<!-- ${slot} -->`);
    if (parts.length !== 2) throw new Error(`the page must have one slot '${slot}'`);
    template = parts.join(text);
  }
  return template;
}

// Restricts what the page may do, even if a text gets into it as markup: run this script, use this
// style, and ask its own server.
function policy(script, style) {
  const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const rules = ["default-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(style)}`,
                 "connect-src 'self'", 'img-src data:', "base-uri 'none'", "form-action 'none'"];
  return `<meta http-equiv="Content-Security-Policy" content="${rules.join('; ')}">`;
}

const pages = {
  report: {template: 'page.html', style: 'style/page.css', script: 'main.ts'},
  live: {template: 'service/page.html', style: 'service/style.css', script: 'service/main.ts'},
};

const [name, output] = process.argv.slice(2);
if (output === undefined || pages[name] === undefined) {
  console.error(`usage: node build.mjs ${Object.keys(pages).join('|')} OUTPUT`);
  process.exit(2);
}
const parts = pages[name];
const style = (await bundle(parts.style)).text;
const {text, files} = await bundle(parts.script);
const script = asScript(text);
const slots = {style: `<style>${style}</style>`, script: `<script>${script}</script>`};
const template = readFileSync(join(here, 'src', parts.template), 'utf8');
const used = licences(files);
if (used !== '') slots.licences = `<!--\nThis page contains:\n\n${used}\n-->`;
if (template.includes('<!-- policy -->')) slots.policy = policy(script, style);
mkdirSync(dirname(output), {recursive: true});
writeFileSync(output, fill(template, slots));
