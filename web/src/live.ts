// A page served by `sau watch` asks for updates every two seconds.
import {h} from './dom';
import {count} from './format';
import type {Report} from './report';

const every = 2000;

type Link = 'connected' | 'lost' | 'broken';

interface News {
  report: Report;
  tag: string | null;
}

function progress(report: Report): {done: number; asked: number} {
  const sum = (pick: (run: Report['runs'][number]) => number) =>
    report.runs.reduce((total, run) => total + pick(run), 0);
  return {done: sum((run) => run.trials), asked: sum((run) => run.asked)};
}

export class Live {
  private tag: string | null = null;
  private link: Link = 'connected';
  private changed = new Date();
  // A screen reader announces only a change of state, not every count.
  private readonly spoken = h('span', {class: 'unseen', role: 'status'});
  private readonly dot = h('span', {class: 'dot', 'aria-hidden': 'true'});
  private readonly words = h('span', {});
  private readonly done = h('progress', {'aria-label': 'Trials done'});

  constructor(private readonly address: string, private report: Report,
              private readonly status: HTMLElement,
              private readonly update: (report: Report) => void) {
    status.hidden = false;
    status.replaceChildren(this.dot, this.words, this.done, this.spoken);
    this.show();
    void this.ask();
  }

  private async ask(): Promise<void> {
    try {
      const news = await this.news();
      this.link = 'connected';
      if (news !== null) this.take(news);
    } catch {
      this.link = 'lost';
    }
    this.show();
    setTimeout(() => void this.ask(), every);
  }

  // The report, if it is another one than that of the tag.
  private async news(): Promise<News | null> {
    const headers: Record<string, string> = this.tag === null ? {} : {'If-None-Match': this.tag};
    const reply = await fetch(this.address, {headers, cache: 'no-store'});
    if (reply.status === 304) return null;
    if (!reply.ok) throw new Error(`status ${reply.status}`);
    return {report: (await reply.json()) as Report, tag: reply.headers.get('ETag')};
  }

  // The tag is kept only when the report is on the page: otherwise it is asked for again.
  private take({report, tag}: News): void {
    try {
      this.update(report);
      this.report = report;
      this.changed = new Date();
      this.tag = tag;
    } catch (error) {
      this.link = 'broken';
      console.error(error);
    }
  }

  private show(): void {
    const {done, asked} = progress(this.report);
    const complete = asked > 0 && done >= asked;
    const time = this.changed.toLocaleTimeString('en-GB');
    const [kind, text] = complete ? ['complete', `complete, ${count(done)} trials`]
      : this.link === 'lost' ? ['lost', `connection lost, last update ${time}`]
      : this.link === 'broken' ? ['broken', `the latest report cannot be shown, last update ${time}`]
      : ['live', `live, ${count(done)} of ${count(asked)} trials, ${time}`];
    this.words.textContent = text;
    this.done.max = Math.max(1, asked);
    this.done.value = done;
    if (this.status.dataset.kind === kind) return;
    this.status.dataset.kind = kind;
    this.spoken.textContent = kind === 'lost' ? 'connection lost'
      : kind === 'broken' ? 'the latest report cannot be shown' : kind;
  }
}
