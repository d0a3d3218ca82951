// A fake service for its page, with a status and decisions that a test can change.
import {readFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import {join} from 'node:path';

import {listen, work} from './support.mjs';

export const hostile = '<img src=x onerror="window.broken=1">';

const start = Date.parse('2026-11-16T05:52:40Z');
const iso = (seconds) => new Date(start + 1000 * seconds).toISOString().replace('.000', '');

const wave = (i) => Math.sin(i / 17) + 0.4 * Math.sin(i / 5.3);

function makePeriods(length, stepSeconds) {
  return Array.from({length}, (_, i) => ({
    time: iso(stepSeconds * (i - length + 1)), ranks: Math.round(stepSeconds * (412 + 60 * wave(i))),
    rewards: Math.round(stepSeconds * (300 + 45 * wave(i - 9))),
    learned: Math.round(stepSeconds * (300 + 45 * wave(i - 9))),
    meanReward: i < 20 ? null : 0.26 + 0.0004 * i + 0.03 * wave(3 * i),
  }));
}

const spans = {hour: [360, 10], day: [288, 300], week: [336, 1800]};

export function makeHistory(span) {
  const [length, stepSeconds] = spans[span];
  return {span, stepSeconds, meanReward: 0.36, baselineReward: 0.28, gain: null,
          history: makePeriods(length, stepSeconds)};
}

export function makeStatus() {
  const history = makePeriods(300, 1);
  const ids = ['article-12', 'article-7', 'sport/final-2026', hostile, 'article-3', 'a',
               'politics-and-a-name-that-is-much-too-long-for-any-table', 'musik-ü', 'article-31',
               'never-tried'];
  const actions = ids.map((id, i) => ({
    id, share: [0.41, 0.22, 0.13, 0.09, 0.06, 0.04, 0.03, 0.015, 0.005, 0][i], ranked: 90400 - 311 * i,
    count: i === 9 ? 0 : Math.round(37000 / (i + 1) ** 1.7), mean: i === 9 ? null : 0.41 - 0.033 * i,
    spread: i === 9 ? null : 0.006 * (i + 1), variance: 0.2,
  }));
  const states = ['waiting', 'waiting', 'learned', 'learned', 'late', 'learned', 'missing', 'learned',
                  'inactive', 'logged'];
  const recent = Array.from({length: 20}, (_, i) => ({
    eventId: i === 3 ? hostile : `75269ad0-bfee-4598-8196-c57383d38e${10 + i}`, time: iso(-Math.floor(i / 3)),
    rewardActionId: ids[(i * 7) % 9], probability: [0.71, 0.12, 0.88, 0.034][i % 4], actions: 10,
    reward: ['learned', 'late'].includes(states[i % 10]) ? (i % 3 === 0 ? 0 : 0.7) : null,
    state: states[i % 10],
  }));
  return {
    version: '0.1.0', agent: 'hashed_linear+sau_sampling', learningMode: 'Online', ready: true,
    uptimeSeconds: 12345.6,
    model: {version: 1841, eventsLearned: 90211, ageSeconds: 0.4},
    totals: {ranks: 1304511, rewards: 93120, lateRewards: 214, missingRewards: 1802,
             refusedRewards: 0, clippedRewards: 0, learned: 90211, waiting: 4210, refused: 17,
             logBytes: 734003200, learnerLag: 12},
    now: {ranksPerSecond: 431.2, rewardsPerSecond: 310.8, meanReward: 0.374, baselineReward: 0.291,
          gain: {mean: 0.083, low: 0.061, high: 0.105, events: 9000},
          explorationRate: 0.083, apprenticeAgreement: null},
    members: [{spec: 'hashed_linear(relative=true)', weight: 0.82, fault: null},
              {spec: 'hashed_mlp', weight: 0, fault: 'diverged: a weight is not finite'}],
    gate: {name: 'calm', arguments: 'hashed_linear+sau_ucb', decisions: 4120, gain: 0.012,
           gainLow: -0.004, gainHigh: 0.029, outcome: null},
    cluster: null,
    history, actions, actionCount: 1234, recent,
  };
}

// What a trainer tells about its machines.
export function makeCluster() {
  return {
    fault: null,
    nodes: [
      {id: '4f2a91c07be3d581', host: 'shop-1', ready: true, ranks: 90412, rewards: 4100,
       modelVersion: 1841, lag: 0, heardSeconds: 0.3},
      {id: '9be04d1f00c2a7e6', host: hostile, ready: false, ranks: 88, rewards: 0,
       modelVersion: 1839, lag: 17, heardSeconds: 0.1},
      {id: 'c81d20a95f3b6e44', host: 'shop-3', ready: true, ranks: 5, rewards: 1,
       modelVersion: 1841, lag: 2, heardSeconds: 41.7},
    ],
    trainers: [
      {id: '11aa22bb33cc44dd', leads: true, this: true, messages: 5120, heardSeconds: 0},
      {id: '55ee66ff77008899', leads: false, this: false, messages: 5119, heardSeconds: 0.4},
    ],
  };
}

export function makeDecision(eventId) {
  const {actions, recent} = makeStatus();
  const {rewardActionId, state} = recent.find((one) => one.eventId === eventId) ?? recent[2];
  return {
    eventId, time: iso(-3), rewardActionId, learningMode: 'Online', modelVersion: 1840, state,
    reward: 0.7, rewards: [{value: 0.7, time: iso(-1), late: false}, {value: 0.2, time: iso(0), late: true}],
    active: true,
    // The answers to one event are those of a model that is no committee.
    ...(eventId === 'plain' ? {} : {members: [{spec: 'hashed_linear(relative=true)', weight: 0.75},
                                              {spec: 'hashed_mlp', weight: 0.25}]}),
    actions: actions.slice(0, 9).map(({id, mean, spread, count, variance}, i) => ({
      id, value: mean, spread, count, variance,
      ...(eventId === 'plain' ? {} : {pooledVariance: 0.05, disagreement: 0.2, bonus: 0.04 * i}),
      probability: i === 8 ? 0 : [0.52, 0.2, 0.11, 0.07, 0.04, 0.03, 0.02, 0.01][i], excluded: i === 8,
    })),
  };
}

// `answers.key` is the key that the service needs, if any.
export async function serve(answers, port = 0) {
  const html = await readFile(join(work, '..', 'live.html'), 'utf8');
  const server = createServer((request, reply) => {
    answers.asked?.push(request.url);
    if (request.url === '/') {
      reply.setHeader('Content-Type', 'text/html; charset=utf-8').end(html);
      return;
    }
    const json = (status, value) =>
      reply.writeHead(status, {'Content-Type': 'application/json'}).end(JSON.stringify(value));
    if (answers.key !== undefined && request.headers['ocp-apim-subscription-key'] !== answers.key) {
      json(401, {error: {code: 'Unauthorized', message: 'a key is needed'}});
      return;
    }
    const event = request.url.match(/^\/v1\/decisions\/(.*)$/)?.[1];
    const span = request.url.match(/^\/v1\/history\/(.*)$/)?.[1];
    if (request.url === '/v1/status') {
      json(200, answers.status);
    } else if (span in spans) {
      json(200, makeHistory(span));
    } else if (event !== undefined && event !== 'unknown') {
      json(200, makeDecision(decodeURIComponent(event)));
    } else {
      json(404, {error: {code: 'ResourceNotFound', message: 'no such event'}});
    }
  });
  await listen(server, port);
  return {
    port: server.address().port,
    address: `http://127.0.0.1:${server.address().port}/`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
