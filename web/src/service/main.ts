// The page of `sau serve`. It asks for updates every second.
import {h} from '../dom';
import {chooseTheme, startTheme, type ThemeChoice, themeChoice} from '../theme';
import {ask, hasKey, KeyNeeded, NoAnswer, useKey} from './api';
import {Chart} from './chart';
import {Explanation} from './decision';
import {MachineTables} from './machines';
import {Spans} from './spans';
import type {Status} from './status';
import {ActionTable, MemberTable, RecentTable} from './tables';
import {Tiles} from './tiles';
import {rate, value} from './words';

const every = 1000;

type Link = 'asking' | 'live' | 'starting' | 'lost' | 'broken' | 'key';

class Page {
  private readonly decisions = new Chart('Per second', (one) => (one === null ? '\u2013' : rate(one)));
  private readonly reward = new Chart('Mean reward', value);
  private readonly spans = new Spans(this.decisions, this.reward, () => void this.ask());
  private readonly tiles = new Tiles();
  private readonly actions = new ActionTable();
  private readonly members = new MemberTable();
  private readonly machines = new MachineTables();
  private readonly explanation = new Explanation();
  private readonly recent = new RecentTable((eventId) => void this.explanation.open(eventId));
  private readonly agent = h('code', {});
  private readonly mode = h('span', {class: 'mode'});
  private readonly words = h('span', {});
  private readonly status = h('p', {class: 'status', 'data-kind': 'asking'},
                              h('span', {class: 'dot', 'aria-hidden': 'true'}), this.words);
  // A screen reader announces only a change of state, not every second.
  private readonly spoken = h('span', {class: 'unseen', role: 'status'});
  private readonly lost = h('p', {class: 'lost', hidden: true});
  private readonly content = h('div', {class: 'live', hidden: true}, this.tiles.element,
    this.spans.element, h('div', {class: 'charts'}, this.decisions.element, this.reward.element),
    this.actions.element, this.members.element, this.machines.element, this.recent.element);
  private readonly field = h('input', {id: 'key', type: 'password', autocomplete: 'off', required: true});
  private readonly wrong = h('p', {class: 'problem', role: 'alert'});
  private readonly gate = this.makeGate();
  private readonly footer = h('footer', {class: 'quiet'});
  private heard: Date | null = null;
  private timer = 0;

  constructor(root: HTMLElement) {
    root.append(this.makeHeader(),
                h('main', {}, this.lost, this.gate, this.content), this.footer,
                this.explanation.element, this.spoken);
    this.set('asking');
    // A hidden tab sends no requests.
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) void this.ask();
    });
    void this.ask();
  }

  private makeHeader(): HTMLElement {
    const theme = h('select', {'aria-label': 'Colours'},
      ...(['auto', 'light', 'dark'] as ThemeChoice[]).map((choice) =>
        h('option', {value: choice, selected: choice === themeChoice()}, choice)));
    theme.addEventListener('change', () => chooseTheme(theme.value as ThemeChoice));
    return h('header', {}, h('h1', {}, 'sau serve'), this.mode, this.agent,
             h('div', {class: 'end'}, this.status, theme));
  }

  private makeGate(): HTMLElement {
    const form = h('form', {class: 'panel gate', hidden: true},
      h('h2', {}, 'This service needs a key'),
      h('p', {class: 'note'}, 'Enter one of the keys from the server\u2019s key file. This tab ' +
        'keeps it until you close the tab.'),
      h('div', {class: 'row'}, h('label', {for: 'key'}, 'Key'), this.field,
        h('button', {type: 'submit'}, 'Open')),
      this.wrong);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      useKey(this.field.value);
      this.field.value = '';
      void this.ask();
    });
    return form;
  }

  private async ask(): Promise<void> {
    clearTimeout(this.timer);
    if (document.hidden) return;
    let again = true;
    try {
      const status = await ask<Status>('v1/status');
      this.heard = new Date();
      this.show(status);
      await this.spans.show(status);
      this.set(status.ready ? 'live' : 'starting');
    } catch (error) {
      const locked = error instanceof KeyNeeded;
      again = !locked;
      this.wrong.textContent = locked && hasKey() ? error.message : '';
      const lost = error instanceof NoAnswer;
      if (!locked && !lost) console.error(error);
      this.set(locked ? 'key' : lost ? 'lost' : 'broken');
    }
    document.documentElement.dataset.ready = '';
    clearTimeout(this.timer);
    if (again) this.timer = window.setTimeout(() => void this.ask(), every);
  }

  private set(link: Link): void {
    const time = this.heard?.toLocaleTimeString('en-GB') ?? '';
    this.words.textContent = {
      asking: 'asking\u2026', live: `live, ${time}`, starting: `starting, ${time}`,
      lost: 'not reachable', broken: `cannot be shown, ${time}`, key: 'locked',
    }[link];
    this.lost.hidden = link !== 'lost' && link !== 'broken';
    this.lost.textContent = link === 'broken'
      ? 'This page has an error and cannot show the latest status; the console of the browser says ' +
        'more. This page tries again every second.'
      : this.heard === null
      ? 'The server is not reachable. This page tries again every second.'
      : `The server is not reachable. The numbers below are from ${time}. This page tries again ` +
        'every second.';
    this.content.hidden = this.heard === null || link === 'key';
    this.content.classList.toggle('old', link === 'lost' || link === 'broken');
    if (this.status.dataset.kind === link) return;
    this.status.dataset.kind = link;
    this.spoken.textContent = {
      asking: '', live: 'The service is live.', starting: 'The service is starting.',
      lost: 'The server is not reachable.', broken: 'The status cannot be shown.', key: 'The service needs a key.',
    }[link];
    this.gate.hidden = link !== 'key';
    if (link === 'key') this.field.focus();
  }

  private show(status: Status): void {
    this.agent.textContent = status.agent;
    this.mode.textContent = status.learningMode;
    this.footer.textContent = `sau ${status.version}`;
    this.tiles.show(status);
    this.actions.show(status);
    this.members.show(status);
    this.machines.show(status);
    this.recent.show(status);
  }
}

startTheme();
new Page(document.getElementById('page')!);
