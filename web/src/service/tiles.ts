// The current state of the service, in numbers.
import {h} from '../dom';
import type {Maybe} from '../report';
import type {Gate, Status} from './status';
import {bytes, duration, percent, rate, total, value} from './words';

class Tile {
  readonly element: HTMLElement;
  private readonly figure = h('dd', {class: 'figure'});
  private readonly more = h('dd', {class: 'more'});

  constructor(name: string) {
    this.element = h('div', {class: 'tile'}, h('dt', {}, name), this.figure, this.more);
  }
  show(figure: string, more: string): void {
    this.figure.textContent = figure;
    this.more.textContent = more;
  }
}

function signed(gain: Maybe): string {
  return gain === null ? value(null) : `${gain < 0 ? '\u2212' : '+'}${value(Math.abs(gain))}`;
}

function showGate(tile: Tile, gate: Gate | null): void {
  tile.element.hidden = gate === null;
  if (gate === null) return;
  tile.element.title = `${gate.name}: ${gate.arguments}`;
  const from = `${signed(gate.gainLow)} to ${signed(gate.gainHigh)}`;
  const what = gate.outcome === null ? `${total(gate.decisions)} events` : gate.outcome;
  tile.show(gate.decisions === 0 ? value(null) : signed(gate.gain), `${from}, ${what}`);
}

export class Tiles {
  private readonly tiles = {
    decisions: new Tile('Decisions'),
    rewards: new Tile('Rewards'),
    reward: new Tile('Mean reward'),
    exploration: new Tile('Exploration'),
    model: new Tile('Model'),
    waiting: new Tile('Waiting for rewards'),
    log: new Tile('Log'),
    refused: new Tile('Refused'),
    gate: new Tile('Gain of the candidate'),
  };
  readonly element = h('dl', {class: 'tiles'},
                       ...Object.values(this.tiles).map((tile) => tile.element));

  show({totals, now, model, uptimeSeconds, gate}: Status): void {
    const {tiles} = this;
    tiles.decisions.show(total(totals.ranks), `${rate(now.ranksPerSecond)} per second`);
    const outOfRange = totals.refusedRewards + totals.clippedRewards;
    tiles.rewards.show(total(totals.rewards),
      outOfRange > 0 ? `${total(outOfRange)} out of range`
      : totals.lateRewards > 0 ? `${total(totals.lateRewards)} too late`
      : `${rate(now.rewardsPerSecond)} per second`);
    const {meanReward: mean, baselineReward: base} = now;
    const {gain} = now;
    tiles.reward.show(value(mean), base === null ? 'no baseline yet'
      : gain === null ? `baseline ${value(base)}, too few events to compare`
      : gain.low <= 0 && gain.high >= 0 ? `not clearly different from the baseline, ${value(base)}`
      : `${signed(gain.mean)} over the baseline, 95 %: ${signed(gain.low)} to ${signed(gain.high)}`);
    tiles.exploration.show(percent(now.explorationRate), now.apprenticeAgreement === null
      ? 'of answers were not the best guess'
      : `apprentice agrees in ${percent(now.apprenticeAgreement)}`);
    tiles.model.show(`version ${total(model.version)}`,
      `${total(model.eventsLearned)} events, ${duration(model.ageSeconds)} old`);
    tiles.waiting.show(total(totals.waiting), `${total(totals.missingRewards)} never came`);
    tiles.log.show(bytes(totals.logBytes), totals.learnerLag > 0
      ? `learner is ${total(totals.learnerLag)} behind` : 'learner is up to date');
    tiles.refused.show(total(totals.refused), `running for ${duration(uptimeSeconds)}`);
    showGate(tiles.gate, gate);
  }
}
