import type { TracedFunction, TracedThread } from '../../model/eventColumns.ts';
import {
  plainMembers,
  plainNumber,
  plainValue,
  type Member,
} from '../reader/values/plainValues.ts';
import { OpenCalls } from './openCalls.ts';
import {
  aboutFacts,
  ownNames,
  type ExportAbout,
  type ExportedCall,
  type ExportedEvent,
  type ExportedSnapshot,
  type ExportFormat,
  type ExportTotals,
  type ExportWriter,
} from './port.ts';
import { ProtoWriter } from './protoWriter.ts';

/**
 * Perfetto's own trace: packets of one sequence, slices that begin and end on a track per thread,
 * with arguments as debug annotations, watched numbers on a counter track per watch. Names are interned. Field numbers are those of
 * perfetto/protos/perfetto/trace (trace_packet, track_event, track_descriptor, interned_data).
 */
export const perfetto: ExportFormat = {
  name: 'perfetto',
  extension: 'pftrace',
  mediaType: 'application/x-protobuf',
  order: 'thread',
  holdsEvents: true,
  holdsWatched: true,
  endsOpen: false,
  begins: /^\n[\s\S]{4,40}strobe session/,
  shownBy: 'https://ui.perfetto.dev or trace_processor',
  isForBrowsers: true,
  open: (about) => new Perfetto(about),
};

const packet = {
  packet: 1,
  clockSnapshot: 6,
  timestamp: 8,
  sequence: 10,
  trackEvent: 11,
  internedData: 12,
  sequenceFlags: 13,
  trackDescriptor: 60,
} as const;
const event = {
  categories: 22,
  annotations: 4,
  type: 9,
  nameIid: 10,
  track: 11,
  name: 23,
  counter: 44,
  sourceLocationIid: 34,
} as const;
const annotation = {
  nameIid: 1,
  bool: 2,
  int: 4,
  double: 5,
  text: 6,
  dictionary: 11,
  list: 12,
  name: 10,
} as const;
const interned = { eventNames: 2, annotationNames: 3, sourceLocations: 4 } as const;
const type = { begin: 1, end: 2, instant: 3, counter: 4 } as const;
const sequenceFlags = { cleared: 1, needsState: 2 } as const;
const clocks = { realtime: 1, boottime: 6 } as const;
const SEQUENCE = 1;
const SESSION_TRACK = 1;
/** Processes get their pid above it, threads their key above the processes. */
const PROCESS_TRACKS = 2 ** 33;
const THREAD_TRACKS = 2 ** 34;
const COUNTER_TRACKS = 2 ** 35;
const LANE_TRACKS = 2 ** 40;
const MOST_LANES = 2 ** 14;

class Perfetto implements ExportWriter {
  readonly #about: ExportAbout;
  readonly #out = new ProtoWriter();
  readonly #functions = new Set<number>();
  readonly #names = new Map<string, number>();
  readonly #processes = new Set<number>();
  /** Tracks of lanes. */
  readonly #described = new Set<number>();
  /** Track of each watch in a process. */
  readonly #counters = new Map<string, number>();
  #thread = -1;
  readonly #open = new OpenCalls<number>((track, at, isKnown) => {
    // A slice that is not ended is shown as one that did not finish.
    if (isKnown) this.#event(at, track, type.end);
  });

  constructor(about: ExportAbout) {
    this.#about = about;
  }

  begin(): Uint8Array {
    this.#packet(() => {
      this.#out.message(packet.trackDescriptor, () => {
        this.#out.integer(1, SESSION_TRACK);
        this.#out.text(2, `strobe session ${this.#about.sessionId}`);
      });
      this.#out.integer(packet.sequenceFlags, sequenceFlags.cleared);
    });
    this.#packet(() => {
      this.#out.message(packet.clockSnapshot, () => {
        this.#clock(clocks.boottime, 0n);
        this.#clock(clocks.realtime, BigInt(Math.floor(this.#about.startedAtMs)) * 1_000_000n);
      });
    });
    this.#event(0, SESSION_TRACK, type.instant, () => {
      this.#out.text(event.name, 'exported by Strobe');
      this.#annotate('about', aboutFacts(this.#about));
    });
    return this.#out.take();
  }

  call(call: ExportedCall): Uint8Array {
    const { fn, thread, end } = call;
    if (this.#thread !== thread.key) this.#describeThread(thread);
    const track = this.#trackOf(thread, this.#open.leave(call));
    const { arguments: values, returns, exception } = call.values();
    const told = plainMembers(values);
    const result = end === 'returned' ? plainValue(returns) : undefined;
    if (result !== undefined) told.push(['return', result]);
    if (end !== 'returned') told.push([ownNames.end, end]);
    if (exception) told.push([ownNames.exception, plainValue(exception)]);
    if (call.suspendedNs > 0) told.push([ownNames.suspended, call.suspendedNs]);
    if (call.isActivation && call.strand !== null) told.push([ownNames.strand, call.strand]);
    this.#intern(fn, told);
    this.#event(call.time, track, type.begin, () => {
      this.#out.integer(event.nameIid, fn.number + 1);
      if (fn.file !== null) this.#out.integer(event.sourceLocationIid, fn.number + 1);
      this.#annotate(ownNames.id, call.id);
      for (const [name, value] of told) this.#annotate(name, value ?? 'null');
    });
    this.#open.enter(call, track);
    return this.#out.takeFull();
  }

  threadEnd(): Uint8Array {
    this.#open.finish(this.#about.knownUntil);
    return this.#out.take();
  }

  event(what: ExportedEvent): Uint8Array {
    const pid = 'pid' in what ? what.pid : this.#about.pid;
    if (pid !== null) this.#describeProcess(pid);
    const number = what.type === 'variable_snapshot' ? plainNumber(what.watched.value) : null;
    if (what.type === 'variable_snapshot' && number !== null) {
      const counter = this.#counterOf(what);
      this.#event(what.time, counter, type.counter, () => this.#out.double(event.counter, number));
      return this.#out.take();
    }
    const track = pid === null ? SESSION_TRACK : PROCESS_TRACKS + pid;
    this.#event(what.time, track, type.instant, () => {
      this.#out.text(event.name, what.text);
      this.#out.text(event.categories, what.type);
      if ('count' in what) this.#annotate('count', what.count);
    });
    return this.#out.take();
  }

  end(totals: ExportTotals): Uint8Array {
    this.#event(this.#about.knownUntil, SESSION_TRACK, type.instant, () => {
      this.#out.text(event.name, 'end of the export');
      this.#annotate('totals', totals);
    });
    return this.#out.take();
  }

  #packet(write: () => void): void {
    this.#out.message(packet.packet, () => {
      write();
      this.#out.integer(packet.sequence, SEQUENCE);
    });
  }

  #clock(id: number, timestamp: bigint): void {
    this.#out.message(1, () => {
      this.#out.integer(1, id);
      this.#out.integer(2, timestamp);
    });
  }

  #event(time: number, track: number, kind: number, more: () => void = () => undefined): void {
    this.#packet(() => {
      this.#out.integer(packet.timestamp, time);
      this.#out.integer(packet.sequenceFlags, sequenceFlags.needsState);
      this.#out.message(packet.trackEvent, () => {
        this.#out.integer(event.type, kind);
        this.#out.integer(event.track, track);
        more();
      });
    });
  }

  #describeProcess(pid: number): void {
    if (this.#processes.has(pid)) return;
    this.#processes.add(pid);
    this.#packet(() =>
      this.#out.message(packet.trackDescriptor, () => {
        this.#out.integer(1, PROCESS_TRACKS + pid);
        this.#out.message(3, () => {
          this.#out.integer(1, pid);
          const command = this.#about.commands.get(pid);
          if (command !== undefined) this.#out.text(6, command);
        });
      }),
    );
  }

  #counterOf({ pid, watched: { label } }: ExportedSnapshot): number {
    const key = `${pid} ${label}`;
    const known = this.#counters.get(key);
    if (known !== undefined) return known;
    const track = COUNTER_TRACKS + this.#counters.size;
    this.#counters.set(key, track);
    this.#packet(() =>
      this.#out.message(packet.trackDescriptor, () => {
        this.#out.integer(1, track);
        this.#out.integer(5, PROCESS_TRACKS + pid);
        this.#out.text(2, label);
        this.#out.message(8, () => undefined);
      }),
    );
    return track;
  }

  #describeThread({ key, pid, tid, name }: TracedThread): void {
    this.#thread = key;
    this.#describeProcess(pid);
    this.#packet(() =>
      this.#out.message(packet.trackDescriptor, () => {
        this.#out.integer(1, THREAD_TRACKS + key);
        this.#out.integer(5, PROCESS_TRACKS + pid);
        this.#out.message(4, () => {
          this.#out.integer(1, pid);
          this.#out.integer(2, tid);
          this.#out.text(5, name);
        });
      }),
    );
  }

  /** Calls that may overlap those of their thread have tracks below its own. */
  #trackOf({ key }: TracedThread, lane: number): number {
    if (lane === 0) return THREAD_TRACKS + key;
    const track = LANE_TRACKS + key * MOST_LANES + Math.min(lane, MOST_LANES - 1);
    if (this.#described.has(track)) return track;
    this.#described.add(track);
    this.#packet(() =>
      this.#out.message(packet.trackDescriptor, () => {
        this.#out.integer(1, track);
        this.#out.integer(5, THREAD_TRACKS + key);
        this.#out.text(2, `suspended ${lane}`);
      }),
    );
    return track;
  }

  /** Says once what the numbers of this function and of these arguments stand for. */
  #intern(fn: TracedFunction, told: readonly Member<unknown>[]): void {
    const isNew = !this.#functions.has(fn.number);
    if (!isNew && told.every(([name]) => this.#names.has(name))) return;
    this.#functions.add(fn.number);
    const names = [ownNames.id, ...told.map(([name]) => name)];
    const fresh = names.filter((name) => !this.#names.has(name));
    for (const name of fresh) this.#names.set(name, this.#names.size + 1);
    this.#packet(() => {
      this.#out.integer(packet.sequenceFlags, sequenceFlags.needsState);
      this.#out.message(packet.internedData, () => {
        if (isNew) this.#internFunction(fn);
        for (const name of fresh) {
          this.#out.message(interned.annotationNames, () => {
            this.#out.integer(1, this.#names.get(name) ?? 0);
            this.#out.text(2, name);
          });
        }
      });
    });
  }

  #internFunction({ number, name, file, line }: TracedFunction): void {
    this.#out.message(interned.eventNames, () => {
      this.#out.integer(1, number + 1);
      this.#out.text(2, name);
    });
    if (file === null) return;
    this.#out.message(interned.sourceLocations, () => {
      this.#out.integer(1, number + 1);
      this.#out.text(2, file);
      this.#out.text(3, name);
      if (line !== null) this.#out.integer(4, line);
    });
  }

  #annotate(name: string, value: unknown): void {
    this.#out.message(event.annotations, () => this.#annotation(name, value));
  }

  #annotation(name: string | null, value: unknown): void {
    const number = name === null ? undefined : this.#names.get(name);
    if (number !== undefined) this.#out.integer(annotation.nameIid, number);
    else if (name !== null) this.#out.text(annotation.name, name);
    switch (typeof value) {
      case 'boolean':
        this.#out.bool(annotation.bool, value);
        return;
      case 'number':
        if (Number.isSafeInteger(value)) this.#out.integer(annotation.int, value);
        else this.#out.double(annotation.double, value);
        return;
      case 'object':
        if (value !== null) this.#nested(value);
        return;
      default:
        this.#out.text(annotation.text, String(value));
    }
  }

  #nested(value: object): void {
    if (Array.isArray(value)) {
      for (const item of value) {
        this.#out.message(annotation.list, () => this.#annotation(null, item ?? 'null'));
      }
      return;
    }
    for (const [key, member] of Object.entries(value)) {
      this.#out.message(annotation.dictionary, () => this.#annotation(key, member ?? 'null'));
    }
  }
}
