// Uses the published client of the retired Azure Personalizer, unchanged, with `sau serve`.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import test, {after, before} from 'node:test';

import {cleanUp, require, temporaryFolder} from './support.mjs';

const {PersonalizerClient} = require('@azure/cognitiveservices-personalizer');
// The package that the client itself uses.
const {ApiKeyCredentials, RestError} = require('@azure/ms-rest-js');

const key = 'the-key-of-this-test';
let address, server;

function clientWith(given) {
  const credentials = new ApiKeyCredentials({inHeader: {'Ocp-Apim-Subscription-Key': given}});
  return new PersonalizerClient(credentials, address, {noRetryPolicy: true});
}

async function decision(eventId) {
  const answer = await fetch(`${address}/v1/decisions/${encodeURIComponent(eventId)}`,
    {headers: {'Ocp-Apim-Subscription-Key': key}});
  assert.equal(answer.status, 200);
  return answer.json();
}

before(async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'keys'), `${key}\n`);
  server = spawn(process.env.SAU_PROGRAM,
    ['serve', join(folder, 'data'), '--port', '0', '--key-file', join(folder, 'keys')],
    {stdio: ['ignore', 'pipe', 'inherit']});
  const [line] = await once(createInterface(server.stdout), 'line');
  address = line.split(' ').at(-1).replace(/\/$/, '');
});
after(async () => {
  server.kill('SIGTERM');
  const [code] = await once(server, 'exit');
  await cleanUp();
  assert.equal(code, 0);
});

const request = {
  contextFeatures: [{timeOfDay: 'morning'}, {device: {mobile: true, width: 390}}],
  actions: [
    {id: 'pasta', features: [{taste: 'salty', spice: 'medium'}, {nutrition: {calories: 450}}]},
    {id: 'ice cream', features: [{taste: 'sweet'}]},
    {id: 'salad', features: [{taste: 'fresh'}, {tags: ['green', 'cold']}]},
  ],
  excludedActions: ['ice cream'],
};

test('rank and reward', async () => {
  const client = clientWith(key);
  const answer = await client.rank({...request, eventId: 'lunch 1/2'});
  assert.equal(answer._response.status, 201);
  assert.equal(answer.eventId, 'lunch 1/2');
  assert.deepEqual(answer.ranking.map((one) => one.id), ['pasta', 'ice cream', 'salad']);
  assert.equal(answer.ranking[1].probability, 0);
  const sum = answer.ranking.reduce((total, one) => total + one.probability, 0);
  assert.ok(Math.abs(sum - 1) < 1e-12);
  assert.ok(['pasta', 'salad'].includes(answer.rewardActionId));
  const reply = await client.events.reward('lunch 1/2', {value: 0.75});
  assert.equal(reply._response.status, 204);
  const kept = await decision('lunch 1/2');
  assert.equal(kept.state, 'learned');
  assert.equal(kept.reward, 0.75);
  assert.equal(kept.rewardActionId, answer.rewardActionId);
});

test('an event without an id, activated later', async () => {
  const client = clientWith(key);
  const answer = await client.rank({...request, deferActivation: true});
  assert.match(answer.eventId, /^[0-9a-f]{32}$/);
  assert.equal((await decision(answer.eventId)).state, 'inactive');
  const reply = await client.events.activate(answer.eventId);
  assert.equal(reply._response.status, 204);
  assert.equal((await decision(answer.eventId)).state, 'waiting');
});

test('errors arrive as the type that the client expects', async () => {
  const client = clientWith(key);
  const failed = async (promise) => {
    const error = await promise.then(() => assert.fail('it was accepted'), (thrown) => thrown);
    assert.ok(error instanceof RestError, String(error));
    return error;
  };
  const twice = await failed(client.rank({actions: [{id: 'a', features: []}, {id: 'a', features: []}]}));
  assert.equal(twice.statusCode, 400);
  assert.equal(twice.body.error.code, 'BadRequest');
  assert.equal(twice.body.error.target, 'actions[1].id');
  assert.match(twice.body.error.message, /'a'/);
  const unknown = await failed(client.events.reward('nobody knows it', {value: 1}));
  assert.equal(unknown.statusCode, 404);
  assert.equal(unknown.body.error.code, 'ResourceNotFound');
  const stranger = await failed(clientWith('not-the-key-of-this-test').rank(request));
  assert.equal(stranger.statusCode, 401);
  assert.equal(stranger.body.error.code, 'Unauthorized');
});
