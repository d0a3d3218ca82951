// The strict type check of src/.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import test from 'node:test';

import {require, work} from './support.mjs';

test('the sources pass the type check', () => {
  const compiler = require.resolve('typescript/bin/tsc');
  const {status, stdout, stderr} =
    spawnSync(process.execPath, [compiler, '--noEmit', '-p', work], {encoding: 'utf8'});
  assert.equal(status, 0, stdout + stderr);
});
