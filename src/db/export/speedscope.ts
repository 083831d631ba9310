import type { TracedThread } from '../../model/eventColumns.ts';
import { OpenCalls } from './openCalls.ts';
import {
  aboutFacts,
  type ExportAbout,
  type ExportedCall,
  type ExportFormat,
  type ExportTotals,
  type ExportWriter,
} from './port.ts';

/**
 * speedscope's own format: an `evented` profile per thread, whose opens and closes nest and come
 * in order. Frames are numbered as they appear and written last.
 */
export const speedscope: ExportFormat = {
  name: 'speedscope',
  extension: 'speedscope.json',
  mediaType: 'application/json',
  order: 'thread',
  holdsEvents: false,
  holdsWatched: false,
  endsOpen: true,
  begins: /^\{"\$schema":"https:\/\/www\.speedscope\.app\/file-format-schema\.json","strobe":/,
  shownBy: 'https://www.speedscope.app (it stays on your machine) or npx speedscope',
  isForBrowsers: true,
  open: (about) => new Speedscope(about),
};

class Speedscope implements ExportWriter {
  readonly #about: ExportAbout;
  /** Number of each function among the frames. */
  readonly #frames = new Map<number, number>();
  readonly #described: string[] = [];
  #profiles = 0;
  #events: string[] = [];
  #last = 0;
  #isFirst = true;
  /** Null: of a call that was left out. */
  readonly #open = new OpenCalls<number | null>((frame, at) => {
    if (frame !== null) this.#add('C', frame, at);
  });
  #left = 0;

  constructor(about: ExportAbout) {
    this.#about = about;
  }

  begin(): string {
    const { sessionId, command } = this.#about;
    return `{"$schema":"https://www.speedscope.app/file-format-schema.json","strobe":${JSON.stringify(aboutFacts(this.#about))},"exporter":"strobe","name":${JSON.stringify(`${sessionId} ${command.join(' ')}`)},"profiles":[`;
  }

  call(call: ExportedCall): string {
    const head = this.#isFirst ? this.#profileHead(call) : '';
    const isOwn = this.#open.leave(call) === 0;
    if (!isOwn) this.#left++;
    const frame = isOwn ? this.#frameOf(call) : null;
    if (frame !== null) this.#add('O', frame, call.time);
    this.#open.enter(call, frame);
    return head + this.#taken(head === '');
  }

  threadEnd(_thread: TracedThread): string {
    this.#open.finish(this.#about.knownUntil);
    const events = this.#taken(true);
    this.#isFirst = true;
    return `${events}],"endValue":${this.#last}}`;
  }

  end(totals: ExportTotals): string {
    const frames = this.#described.join(',\n');
    return `],"shared":{"frames":[${frames}]},"totals":${JSON.stringify(totals)}}\n`;
  }

  get notes(): readonly string[] {
    return this.#left === 0
      ? []
      : [
          `${this.#left} calls that were suspended, or made by such calls, are left out: in speedscope no calls of a thread may overlap. folded, flamegraph, perfetto and chrome hold them.`,
        ];
  }

  #profileHead({ thread, time }: ExportedCall): string {
    this.#isFirst = false;
    this.#last = time;
    const name = `${thread.name} (pid ${thread.pid}, thread ${thread.tid})`;
    const separator = this.#profiles++ === 0 ? '\n' : ',\n';
    return `${separator}{"type":"evented","name":${JSON.stringify(name)},"unit":"nanoseconds","startValue":${time},"events":[`;
  }

  #frameOf({ fn }: ExportedCall): number {
    const known = this.#frames.get(fn.number);
    if (known !== undefined) return known;
    const frame = this.#frames.size;
    this.#frames.set(fn.number, frame);
    const place = fn.file === null ? {} : { file: fn.file, ...(fn.line ? { line: fn.line } : {}) };
    this.#described.push(JSON.stringify({ name: fn.name, ...place }));
    return frame;
  }

  #add(type: 'O' | 'C', frame: number, at: number): void {
    this.#last = Math.max(this.#last, at);
    this.#events.push(`{"type":"${type}","frame":${frame},"at":${this.#last}}`);
  }

  #taken(follows: boolean): string {
    const events = this.#events.join(',');
    this.#events = [];
    return events === '' || !follows ? events : `,${events}`;
  }
}
