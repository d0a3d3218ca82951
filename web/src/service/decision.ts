// Explains a decision.
import {h} from '../dom';
import {count} from '../format';
import {ask, KeyNeeded, NotFound} from './api';
import {axisOf, bar, interval} from './interval';
import type {Decision, DecisionAction} from './status';
import {badge} from './tables';
import {clock, dash, percent, value} from './words';

const fact = (name: string, ...content: (Node | string)[]): HTMLElement =>
  h('div', {}, h('dt', {}, name), h('dd', {}, ...content));

function rewardText(decision: Decision): string {
  if (decision.rewards.length === 0) return value(decision.reward);
  const all = decision.rewards.map((one) =>
    `${value(one.value)} at ${clock(one.time)}${one.late ? ', too late' : ''}`);
  return all.join('; ');
}

// The members of a committee, as far as each was believed when it decided.
function members(decision: Decision): HTMLElement[] {
  if (decision.members === undefined) return [];
  return [h('div', {class: 'frame', tabindex: '0', role: 'region',
                    'aria-label': 'The members of the committee at this decision'},
    h('table', {class: 'members'},
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'member'),
                                 h('th', {scope: 'col'}, 'share in the values'))),
      h('tbody', {}, ...decision.members.map((member) =>
        h('tr', {}, h('th', {scope: 'row', class: 'id', title: member.spec}, member.spec),
          h('td', {class: 'shared'}, h('span', {class: 'number'}, percent(member.weight)),
            bar(member.weight, false)))))))];
}

// How much of the variance comes from the residuals of all actions.
const pooled = (action: DecisionAction): string =>
  action.pooledVariance === undefined || !action.variance ? ''
    : `, ${percent(Math.min(1, action.pooledVariance / action.variance))} pooled`;

function table(decision: Decision): HTMLElement {
  const bonuses = decision.members !== undefined;
  const rows = decision.actions.map((action) => ({...action, mean: action.value}));
  const axis = axisOf(rows);
  return h('div', {class: 'frame', tabindex: '0', role: 'region',
                   'aria-label': 'The actions of this decision'},
    h('table', {},
      h('thead', {}, h('tr', {},
        h('th', {scope: 'col'}, 'action'), h('th', {scope: 'col'}, 'probability'),
        h('th', {scope: 'col', class: 'number'}, 'value'),
        bonuses ? h('th', {scope: 'col', class: 'number'}, 'bonus') : null,
        h('th', {scope: 'col', class: 'drawn'}, 'value \u00b1 spread'),
        h('th', {scope: 'col', class: 'number wide'}, 'learned from'),
        h('th', {scope: 'col', class: 'number wide'}, 'variance'))),
      h('tbody', {}, ...rows.map((action) => {
        const chosen = action.id === decision.rewardActionId;
        return h('tr', {class: chosen ? 'chosen' : null},
          h('th', {scope: 'row', class: 'id', title: action.id}, action.id,
            chosen ? h('span', {class: 'tag'}, 'chosen')
              : action.excluded ? h('span', {class: 'tag'}, 'excluded') : null),
          h('td', {class: 'shared'}, h('span', {class: 'number'}, percent(action.probability)),
            bar(action.probability, chosen)),
          h('td', {class: 'number'}, value(action.mean),
            action.spread === null ? null : h('small', {}, ` \u00b1 ${value(action.spread)}`)),
          bonuses ? h('td', {class: 'number',
                             title: `the members differ by ${value(action.disagreement ?? null)}`},
                      value(action.bonus ?? null)) : null,
          h('td', {class: 'drawn'}, interval(action.mean, action.spread, axis, chosen)),
          h('td', {class: 'number wide'}, count(action.count)),
          h('td', {class: 'number wide'}, value(action.variance),
            h('small', {}, pooled(action))));
      }))));
}

export class Explanation {
  readonly element = h('dialog', {'aria-labelledby': 'explained'});
  private readonly content = h('div', {class: 'content'});
  private asked = '';

  constructor() {
    const close = h('button', {type: 'button', class: 'close', 'aria-label': 'Close'}, '\u00d7');
    close.addEventListener('click', () => this.element.close());
    // A click outside of the content has the dialog itself as its target.
    this.element.addEventListener('click', (event) => {
      if (event.target === this.element) this.element.close();
    });
    this.element.append(h('div', {class: 'sheet'}, close, this.content));
  }

  async open(eventId: string): Promise<void> {
    this.asked = eventId;
    this.show(eventId, h('p', {class: 'note'}, 'Asking\u2026'));
    if (!this.element.open) this.element.showModal();
    try {
      const decision = await ask<Decision>(`v1/decisions/${encodeURIComponent(eventId)}`);
      if (this.asked === eventId) this.explain(decision);
    } catch (error) {
      if (this.asked !== eventId) return;
      const why = error instanceof NotFound ? 'There is no decision with this event id.'
        : error instanceof KeyNeeded ? 'The service needs a key.'
        : 'The service does not answer.';
      this.show(eventId, h('p', {class: 'problem'}, why));
    }
  }

  private show(eventId: string, ...rest: Node[]): void {
    this.content.replaceChildren(
      h('h2', {id: 'explained'}, 'Decision ', h('code', {}, eventId)), ...rest);
  }

  private explain(decision: Decision): void {
    this.show(decision.eventId,
      h('dl', {class: 'facts'},
        fact('answered', h('b', {}, decision.rewardActionId)),
        fact('at', clock(decision.time)),
        fact('state', badge(decision.state)),
        fact('reward', rewardText(decision)),
        fact('mode', decision.learningMode || dash),
        fact('model version', count(decision.modelVersion)),
        ...(decision.active ? [] : [fact('activation', 'not yet activated')])),
      table(decision), ...members(decision),
      h('p', {class: 'note'}, 'Value: the reward that the model expected. Spread: how far off the' +
        ' value may be. Probability: how likely the policy was to choose this action.' +
        (decision.members === undefined ? ''
          : ' Bonus: added to the value because the members of the committee disagree.') +
        (decision.actions.some((action) => action.pooledVariance !== undefined)
          ? ' Pooled: the part of the variance that comes from the errors on all actions.' : '')));
  }
}
