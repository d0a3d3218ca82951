// How far back the curves look, and what they show.
import {h} from '../dom';
import {ask} from './api';
import {type Chart, smoothed} from './chart';
import type {History, Status} from './status';

interface Span {
  name: string;         // as the service calls it
  words: string;
  tickSeconds: number;  // between two labels of the axis
  smooth: number;       // rewards are averaged over so many periods
  smoothWords: string;
}

const spans: Span[] = [
  {name: 'minutes', words: 'five minutes', tickSeconds: 60, smooth: 15, smoothWords: '15 s'},
  {name: 'hour', words: 'hour', tickSeconds: 600, smooth: 12, smoothWords: '2 min'},
  {name: 'day', words: 'day', tickSeconds: 3 * 3600, smooth: 6, smoothWords: '30 min'},
  {name: 'week', words: 'week', tickSeconds: 24 * 3600, smooth: 4, smoothWords: '2 h'},
];
// A long span changes slowly: it is asked for less often than the status.
const patience = 5000;

export class Spans {
  readonly element: HTMLElement;
  private readonly choice = h('select', {id: 'span'},
    ...spans.map((span) => h('option', {value: span.name}, `last ${span.words}`)));
  private longer: History | null = null;
  private asked = 0;

  constructor(private readonly decisions: Chart, private readonly reward: Chart,
              changed: () => void) {
    this.element = h('p', {class: 'span'}, h('label', {for: 'span'}, 'Curves of the '), this.choice,
                     h('span', {class: 'quiet'}, ' since the service was started'));
    this.choice.addEventListener('change', () => {
      this.longer = null;
      changed();
    });
  }

  async show(status: Status): Promise<void> {
    const span = spans.find((one) => one.name === this.choice.value) ?? spans[0]!;
    if (span === spans[0]) {
      this.draw(span, {span: span.name, stepSeconds: 1, history: status.history,
                       baselineReward: status.now.baselineReward});
      return;
    }
    if (this.longer?.span !== span.name || Date.now() >= this.asked + patience) {
      this.longer = await ask<History>(`v1/history/${span.name}`);
      this.asked = Date.now();
    }
    // Somebody may have chosen another span meanwhile.
    if (this.choice.value === span.name) this.draw(span, this.longer);
  }

  private draw(span: Span, given: History): void {
    // Leaves out the current period, which would always look like a drop.
    const history = given.history.slice(0, Math.max(1, given.history.length - 1));
    const times = history.map((one) => new Date(one.time));
    const about = {times, span: span.words, tickSeconds: span.tickSeconds};
    this.decisions.show({
      ...about, fromZero: true,
      curves: [
        {name: 'decisions', colour: 'first', area: true,
         values: history.map((one) => one.ranks / given.stepSeconds)},
        {name: 'rewards', colour: 'second',
         values: history.map((one) => one.rewards / given.stepSeconds)},
      ],
    });
    const base = given.baselineReward;
    this.reward.show({
      ...about, fromZero: false,
      curves: [{
        name: `last ${span.smoothWords}`, colour: 'first',
        values: smoothed(history.map((one) => one.meanReward), history.map((one) => one.learned),
                         span.smooth),
      }],
      level: base === null ? null : {name: 'baseline', value: base},
    });
  }
}
