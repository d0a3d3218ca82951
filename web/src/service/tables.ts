// The actions as the model sees them, and the latest decisions.
import {h} from '../dom';
import {count} from '../format';
import {axisOf, bar, interval} from './interval';
import type {RecentDecision, State, Status} from './status';
import {clock, dash, percent, value} from './words';

// A word for each state, and its meaning.
const stateWords: Record<State, [string, string]> = {
  waiting: ['waiting', 'its reward may still come'],
  learned: ['learned', 'the model has learned from it'],
  late: ['too late', 'its reward came after the reward wait time'],
  missing: ['missing', 'no reward came; the default reward counts'],
  inactive: ['inactive', 'it counts once it is activated'],
  logged: ['logged', 'it is kept but not learned from'],
};

export const head = (...names: [string, string?][]): HTMLElement =>
  h('thead', {}, h('tr', {}, ...names.map(([name, kind]) =>
    h('th', {scope: 'col', class: kind}, name))));

export const cell = (kind: string | null, ...children: (Node | string | null)[]): HTMLElement =>
  h('td', {class: kind}, ...children);

export class ActionTable {
  readonly element: HTMLElement;
  private readonly body = h('tbody', {});
  private readonly note = h('p', {class: 'note'});

  constructor() {
    this.element = h('section', {class: 'panel'}, h('h2', {}, 'Actions'), this.note,
      h('div', {class: 'frame', tabindex: '0', role: 'region', 'aria-label': 'Table of actions'},
        h('table', {},
          head(['action'], ['share of decisions'], ['chosen', 'number wide'],
               ['learned from', 'number wide'], ['mean reward', 'number'],
               ['mean \u00b1 spread', 'drawn']),
          this.body)));
  }

  show({actions, actionCount}: Status): void {
    this.note.textContent = actions.length === 0 ? 'No action has been offered yet.'
      : actionCount > actions.length
        ? `The ${count(actions.length)} most chosen of ${count(actionCount)}.`
        : 'The wider the band, the less is known about the action, and the more it is worth a try.';
    const axis = axisOf(actions);
    const most = Math.max(...actions.map((action) => action.share), 1e-9);
    this.body.replaceChildren(...actions.map((action) =>
      h('tr', {},
        h('th', {scope: 'row', class: 'id', title: action.id}, action.id),
        cell('shared', h('span', {class: 'number'}, percent(action.share)),
             bar(action.share / most, false)),
        cell('number wide', count(action.ranked)),
        cell('number wide', count(action.count)),
        cell('number', action.mean === null ? dash : value(action.mean),
             action.spread === null ? null
               : h('small', {}, ` \u00b1 ${value(action.spread)}`)),
        cell('drawn', interval(action.mean, action.spread, axis, false)))));
  }
}

// Whom the committee believes. Hidden for other models.
export class MemberTable {
  readonly element: HTMLElement;
  private readonly body = h('tbody', {});

  constructor() {
    this.element = h('section', {class: 'panel', hidden: true}, h('h2', {}, 'Committee'),
      h('p', {class: 'note'},
        'Each member predicts the reward. The smaller its errors were, the more it counts.'),
      h('div', {class: 'frame', tabindex: '0', role: 'region', 'aria-label': 'Table of members'},
        h('table', {}, head(['member'], ['share in the values']), this.body)));
  }

  show({members}: Status): void {
    this.element.hidden = members.length === 0;
    this.body.replaceChildren(...members.map((member) =>
      h('tr', {},
        h('th', {scope: 'row', class: 'id', title: member.spec}, member.spec),
        member.fault === null
          ? cell('shared', h('span', {class: 'number'}, percent(member.weight)),
                 bar(member.weight, false))
          : cell(null, `left out: ${member.fault}`))));
  }
}

export class RecentTable {
  readonly element: HTMLElement;
  private readonly body = h('tbody', {});
  private readonly note = h('p', {class: 'note'});
  private shown = '';

  constructor(open: (eventId: string) => void) {
    const field = h('input', {id: 'event', type: 'search', placeholder: 'event id',
                              autocomplete: 'off', spellcheck: 'false'});
    const form = h('form', {class: 'look-up'}, h('label', {for: 'event'}, 'Explain event'), field,
                   h('button', {type: 'submit'}, 'Open'));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (field.value.trim() !== '') open(field.value.trim());
    });
    this.element = h('section', {class: 'panel'},
      h('div', {class: 'heads'}, h('h2', {}, 'Recent decisions'), form), this.note,
      h('div', {class: 'frame', tabindex: '0', role: 'region',
                'aria-label': 'Table of recent decisions'},
        h('table', {},
          head(['time', 'time'], ['event'], ['action'], ['probability', 'number wide'],
               ['actions offered', 'number wide'], ['reward', 'number'], ['state']),
          this.body)));
    this.body.addEventListener('click', (event) => {
      const button = (event.target as Element).closest<HTMLButtonElement>('button[data-event]');
      if (button !== null) open(button.dataset.event!);
    });
  }

  show({recent}: Status): void {
    // If nothing changed, leave the table alone, so that the reader keeps the focus and selection.
    const now = JSON.stringify(recent);
    if (now === this.shown) return;
    this.shown = now;
    this.note.textContent =
      recent.length === 0 ? 'None yet: POST /personalizer/v1.0/rank makes one.' : '';
    this.note.hidden = recent.length > 0;
    const focused = (document.activeElement as HTMLElement | null)?.dataset?.event;
    this.body.replaceChildren(...recent.map((decision) => this.row(decision)));
    if (focused === undefined) return;
    [...this.body.querySelectorAll<HTMLElement>('button[data-event]')]
      .find((button) => button.dataset.event === focused)?.focus();
  }

  private row(decision: RecentDecision): HTMLElement {
    return h('tr', {},
      cell('time', clock(decision.time)),
      cell('id', h('button', {type: 'button', class: 'link', 'data-event': decision.eventId,
                              title: `Explain ${decision.eventId}`}, decision.eventId)),
      cell('id', decision.rewardActionId),
      cell('number wide', percent(decision.probability)),
      cell('number wide', count(decision.actions)),
      cell('number', value(decision.reward)),
      cell(null, badge(decision.state)));
  }
}

export function badge(state: State): HTMLElement {
  const [word, meaning] = stateWords[state] ?? [String(state), ''];
  return h('span', {class: `badge ${state}`, title: meaning}, word);
}
