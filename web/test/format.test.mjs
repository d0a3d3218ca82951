// The formats of numbers, without a browser.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import test from 'node:test';

import {require, work} from './support.mjs';

const {outputFiles} = require('esbuild').buildSync({
  entryPoints: [join(work, 'src', 'format.ts')], bundle: true, format: 'esm', write: false,
});
const format = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);

test('a number has four significant digits and groups of three', () => {
  assert.equal(format.number(245472.4), '245,472');
  assert.equal(format.number(265.06), '265.1');
  assert.equal(format.number(3.14159), '3.142');
  assert.equal(format.number(0.02348), '0.02348');
  assert.equal(format.number(-12.5), '\u221212.50');
  assert.equal(format.number(0), '0');
  assert.equal(format.number(0.0000021), '2.1e\u22126');
  assert.equal(format.number(null), '\u2013');
});

test('a mean has as many decimals as its error needs for two digits', () => {
  assert.equal(format.withError(8809.2, 2474.6), '8,809 \u00b1 2,475');
  assert.equal(format.withError(2582.94, 8.04), '2,582.9 \u00b1 8.0');
  assert.equal(format.withError(0.6046, 0.0123), '0.605 \u00b1 0.012');
  assert.equal(format.withError(12.5, null), '12.50');
});

test('a difference in standard errors always has a sign', () => {
  assert.equal(format.standardErrors(0.62), '+0.6');
  assert.equal(format.standardErrors(-17.77), '\u221217.8');
  assert.equal(format.standardErrors(-0.02), '\u00b10.0');
  assert.equal(format.standardErrors(-376.4), '\u2212376');
});

test('steps have SI suffixes and no needless digits', () => {
  assert.equal(format.steps(100000), '100k');
  assert.equal(format.steps(43500), '43.5k');
  assert.equal(format.steps(3713), '3.713k');
  assert.equal(format.steps(2000000), '2M');
  assert.equal(format.steps(500), '500');
});

test('a time and its error share the unit of the time', () => {
  assert.equal(format.secondsWithError(0.2007, 0.0026), '200.7 \u00b1 2.6 ms');
  assert.equal(format.secondsWithError(0.000061, 0.000003), '61.0 \u00b1 3.0 \u00b5s');
  assert.equal(format.seconds(1203.2), '20.05 min');
  assert.equal(format.seconds(null), '\u2013');
});

test('a small probability is a bound, not a zero', () => {
  assert.equal(format.probability(0.25), '0.25');
  assert.equal(format.probability(0.0312), '0.031');
  assert.equal(format.probability(0.0004), '< 0.001');
  assert.equal(format.probability(0), '< 10\u207b\u2076');
});

test('a ratio of times shows its direction', () => {
  assert.equal(format.timesLess(5995.1), '\u00f75,995');
  assert.equal(format.timesLess(0.5), '\u00d72.0');
});

test('an ISO time is read as UTC, and anything else is left alone', () => {
  assert.equal(format.time('2026-11-16T00:48:47Z'), '16 November 2026, 00:48 UTC');
  assert.equal(format.time('yesterday'), 'yesterday');
});

test('the name of a file has no special characters', () => {
  assert.equal(format.fileName('Regret, bernoulli(gap=0.2)'), 'regret-bernoulli-gap-0.2');
  assert.equal(format.fileName('***'), 'figure');
});

test('two groups of trials are told by their shares and means', () => {
  assert.equal(format.twoGroups({low: 30, high: 500, share: 0.1}), '90.0 % near 30.00, 10.0 % near 500.0');
});
