import type { TracedThread } from '../../model/eventColumns.ts';
import { jsonName, jsonText, plainNumber } from '../reader/values/plainValues.ts';
import { OpenCalls } from './openCalls.ts';
import {
  aboutFacts,
  ownNames,
  type ExportAbout,
  type ExportedCall,
  type ExportedEvent,
  type ExportFormat,
  type ExportTotals,
  type ExportWriter,
} from './port.ts';

/**
 * Chrome's trace event format, JSON object form: complete events (`X`) in microseconds with the
 * nanoseconds as decimals. Calls whose end is not known begin (`B`), and end (`E`) with the next one
 * that is not below them: as a sum of begin and length, readers would not find it at the same time.
 * Those that had not ended never end. Watched numbers are counters (`C`) of their process. Order
 * does not matter to its readers.
 */
export const chromeTrace: ExportFormat = {
  name: 'chrome',
  extension: 'trace.json',
  mediaType: 'application/json',
  order: 'thread',
  holdsEvents: true,
  holdsWatched: true,
  endsOpen: false,
  begins: /^\{"displayTimeUnit":"ns","otherData":\{"sessionId":/,
  shownBy: 'https://ui.perfetto.dev, chrome://tracing or speedscope',
  isForBrowsers: true,
  open: (about) => new ChromeTrace(about),
};

/** More than any thread's number. */
const LANE_TIDS = 2 ** 23;

class ChromeTrace implements ExportWriter {
  readonly #about: ExportAbout;
  readonly #processes = new Set<number>();
  readonly #lanes = new Set<number>();
  #separator = '';
  #thread = -1;
  #text = '';
  /** What ends say again of calls that began as such: readers match them by it. */
  readonly #open = new OpenCalls<string | null>((begun, at, isKnown) => {
    if (begun !== null && isKnown) this.#add('"E"', at, begun);
  });

  constructor(about: ExportAbout) {
    this.#about = about;
  }

  begin(): string {
    const facts = JSON.stringify(aboutFacts(this.#about));
    return `{"displayTimeUnit":"ns","otherData":${facts},"traceEvents":[`;
  }

  call(call: ExportedCall): string {
    const { thread, fn, time, durationNs, end } = call;
    const lane = this.#open.leave(call);
    const { arguments: values, returns, exception } = call.values();
    let args = `${jsonName(ownNames.id)}"${call.id}"`;
    for (const [name, value] of jsonText.members(values)) args += `,${jsonName(name)}${value}`;
    const result = end === 'returned' ? jsonText.value(returns) : undefined;
    if (result !== undefined) args += `,"return":${result}`;
    if (end !== 'returned') args += `,${jsonName(ownNames.end)}"${end}"`;
    const thrown = exception && jsonText.value(exception);
    if (thrown !== undefined) args += `,${jsonName(ownNames.exception)}${thrown}`;
    if (call.suspendedNs > 0) args += `,${jsonName(ownNames.suspended)}${call.suspendedNs}`;
    if (call.isActivation && call.strand !== null)
      args += `,${jsonName(ownNames.strand)}${JSON.stringify(call.strand)}`;
    if (this.#thread !== thread.key) this.#text += this.#names(call);
    const place = fn.file === null ? '' : `,"cat":${JSON.stringify(placeText(call))}`;
    const rest = `"pid":${thread.pid},"tid":${this.#laneOf(thread, lane)},"name":${JSON.stringify(fn.name)}${place},"args":{${args}}}`;
    this.#open.enter(call, durationNs === null ? rest : null);
    this.#add(durationNs === null ? '"B"' : `"X","dur":${microseconds(durationNs)}`, time, rest);
    return this.#taken();
  }

  threadEnd(): string {
    this.#open.finish(this.#about.knownUntil);
    return this.#taken();
  }

  event(event: ExportedEvent): string {
    const pid = 'pid' in event ? event.pid : (this.#about.pid ?? 0);
    const named = this.#processName(pid);
    const number = event.type === 'variable_snapshot' ? plainNumber(event.watched.value) : null;
    if (event.type === 'variable_snapshot' && number !== null) {
      const { label } = event.watched;
      const track = { ph: 'C', pid, name: label, cat: event.type, args: { [label]: number } };
      return `${named}${this.#next()}{"ts":${microseconds(event.time)},${JSON.stringify(track).slice(1)}`;
    }
    const count = 'count' in event ? { count: event.count } : {};
    const shown = {
      ph: 'i',
      s: 'p',
      pid,
      tid: pid,
      name: event.text,
      cat: event.type,
      args: { type: event.type, ...count },
    };
    return `${named}${this.#next()}{"ts":${microseconds(event.time)},${JSON.stringify(shown).slice(1)}`;
  }

  end(totals: ExportTotals): string {
    return `\n],"strobe":${JSON.stringify(totals)}}\n`;
  }

  /** The number of a thread, or of what stands for one of its lanes: calls in it may overlap the thread's. */
  #laneOf({ pid, tid, name }: TracedThread, lane: number): number {
    if (lane === 0) return tid;
    const own = lane * LANE_TIDS + tid;
    if (this.#lanes.has(own)) return own;
    this.#lanes.add(own);
    const told = {
      ph: 'M',
      name: 'thread_name',
      pid,
      tid: own,
      args: { name: `${name} suspended ${lane}` },
    };
    this.#text += `${this.#next()}${JSON.stringify(told)}`;
    return own;
  }

  /** The names of a thread and of its process, when they come for the first time. */
  #names({ thread }: ExportedCall): string {
    this.#thread = thread.key;
    const { pid, tid, name } = thread;
    const text = `${this.#next()}${JSON.stringify({ ph: 'M', name: 'thread_name', pid, tid, args: { name } })}`;
    return text + this.#processName(pid);
  }

  /** The name of a process when it comes for the first time, else nothing. */
  #processName(pid: number): string {
    const name = this.#about.commands.get(pid);
    if (name === undefined || this.#processes.has(pid)) return '';
    this.#processes.add(pid);
    const named = { ph: 'M', name: 'process_name', pid, args: { name } };
    return `${this.#next()}${JSON.stringify(named)}`;
  }

  #add(phase: string, at: number, rest: string): void {
    this.#text += `${this.#next()}{"ph":${phase},"ts":${microseconds(at)},${rest}`;
  }

  #taken(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  #next(): string {
    const separator = this.#separator;
    this.#separator = ',\n';
    return separator === '' ? '\n' : separator;
  }
}

function placeText({ fn }: ExportedCall): string {
  return `${fn.file}:${fn.line ?? 0}`;
}

function microseconds(ns: number): string {
  return `${Math.floor(ns / 1000)}.${String(Math.floor(ns % 1000)).padStart(3, '0')}`;
}
