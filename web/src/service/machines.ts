// The nodes and trainers of a cluster, as a trainer hears them.
import {h} from '../dom';
import {count} from '../format';
import {cell, head} from './tables';
import type {Cluster, Status} from './status';

// Seconds without a message after which a machine is shown as silent. Each sends two a second.
const silent = 3;

function state(heardSeconds: number, good: boolean, words: [string, string]): HTMLElement {
  if (heardSeconds > silent) {
    return h('span', {class: 'badge missing'}, `silent for ${count(Math.round(heardSeconds))} s`);
  }
  return h('span', {class: good ? 'badge learned' : 'badge waiting'}, words[good ? 0 : 1]);
}

// Hidden for a service of one machine.
export class MachineTables {
  readonly element: HTMLElement;
  private readonly nodes = h('tbody', {});
  private readonly trainers = h('tbody', {});
  private readonly fault = h('p', {class: 'problem', hidden: true});
  private readonly note = h('p', {class: 'note'});

  constructor() {
    const table = (name: string, ...parts: HTMLElement[]): HTMLElement =>
      h('div', {class: 'frame', tabindex: '0', role: 'region', 'aria-label': `Table of ${name}`},
        h('table', {}, ...parts));
    this.element = h('section', {class: 'panel', hidden: true}, h('h2', {}, 'Machines'),
      this.fault, this.note,
      table('nodes',
        head(['node'], ['host', 'wide'], ['state'], ['decisions', 'number'], ['rewards', 'number wide'],
             ['model', 'number wide'], ['not logged yet', 'number']),
        this.nodes),
      table('trainers', head(['trainer'], ['state'], ['messages', 'number']), this.trainers));
  }

  show({cluster, model}: Status): void {
    this.element.hidden = cluster === null || cluster === undefined;
    if (this.element.hidden) return;
    const {fault, nodes, trainers} = cluster as Cluster;
    this.fault.hidden = fault === null;
    this.fault.textContent = fault ?? '';
    this.note.textContent = nodes.length === 0 ? 'No node has been heard in the last minute.'
      : 'Decisions and rewards are those since the node was started.';
    this.nodes.replaceChildren(...nodes.map((node) =>
      h('tr', {},
        h('th', {scope: 'row', class: 'id', title: node.id}, node.id),
        cell('id wide', node.host),
        cell(null, state(node.heardSeconds, node.ready, ['ready', 'not ready'])),
        cell('number', count(node.ranks)),
        cell('number wide', count(node.rewards)),
        cell('number wide', node.modelVersion === model.version ? count(node.modelVersion)
          : `${count(node.modelVersion)} of ${count(model.version)}`),
        cell('number', count(node.lag)))));
    this.trainers.replaceChildren(...trainers.map((trainer) =>
      h('tr', {},
        h('th', {scope: 'row', class: 'id', title: trainer.id},
          trainer.this ? `${trainer.id} (this one)` : trainer.id),
        cell(null, state(trainer.heardSeconds, trainer.leads, ['leads', 'stands by'])),
        cell('number', count(trainer.messages)))));
  }
}
