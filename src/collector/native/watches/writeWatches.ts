import { processorNamed } from '../../../model/processors.ts';
import type { Spotted, SpottedSite, SpotterStart } from '../../look/spotter.ts';
import { hasEnded } from '../../../base/proc.ts';
import { Islands } from './islands.ts';
import { Spotter } from '../../look/spotter.ts';
import type { Mapping, Snapshot } from '../../../model/endings/snapshot.ts';
import { mostWriteWatches } from '../../../model/watches/watch.ts';
import type { WriteFrame, WriteSite } from '../../../model/watches/watchWrite.ts';
import type { TracedSession, TracerSink } from '../../tracer.ts';
import type { NativeParts } from '../nativeParts.ts';

/** A place that is to be watched for writes. */
export interface WantedWrites {
  readonly pid: number;
  /** Number of the watch, and its label. */
  readonly number: number;
  readonly label: string;
  readonly address: bigint;
  readonly bytes: number;
}

/** What became of it: whole sentences. */
export type WritesOutcome =
  | { readonly isWatched: true; readonly notes: readonly string[] }
  | { readonly isWatched: false; readonly why: string };

interface Running {
  readonly wanted: WantedWrites;
  readonly spotter: Spotter;
  isOver: boolean;
  /** It recorded all it may. */
  isFull: boolean;
}

const framesKept = 12;
/** In DWARF's order. */
/** That of what is watched, too. */
const processor = processorNamed(process.arch);
const pcRegister = processor.registers.length - 1;
/** Places in the code that are described with all their callers. */
const mostDescribed = 500;
const mostFollowed = 32;
/** What a process wrote last is stored within this time of its end. */
const finishLimitMs = 5000;
const instead = 'or sample it at traced calls: "at": "both"';

/** The places of a session's main process that are watched for writes, each by a spotter of its own. */
export class WriteWatches {
  readonly #session: TracedSession;
  readonly #parts: NativeParts;
  readonly #sink: TracerSink;
  /** Run-time addresses of the functions that are hooked in a process. */
  readonly #hookedAt: (pid: number) => readonly bigint[];
  readonly #running = new Map<number, Running>();
  readonly #islands = new Islands();
  /** Programs that were executed in place of watched ones. */
  #followed = 0;
  #described = 0;
  #nextSite = 0;

  constructor(
    session: TracedSession,
    parts: NativeParts,
    sink: TracerSink,
    hookedAt: (pid: number) => readonly bigint[],
  ) {
    this.#session = session;
    this.#parts = parts;
    this.#sink = sink;
    this.#hookedAt = hookedAt;
  }

  /** Watches these places and no others; by number of the watch what became of each. */
  async watch(wanted: readonly WantedWrites[]): Promise<ReadonlyMap<number, WritesOutcome>> {
    for (const pid of new Set(wanted.map((one) => one.pid)))
      this.#islands.learn(pid, this.#hookedAt(pid));
    const stays = ({ pid, number, address, bytes }: WantedWrites): boolean => {
      const known = this.#running.get(number);
      const isSame = known?.wanted.address === address && known.wanted.bytes === bytes;
      return isSame && known.wanted.pid === pid && (!known.isOver || known.isFull);
    };
    const kept = new Set(wanted.filter(stays).map(({ number }) => number));
    const gone = [...this.#running.values()].filter((one) => !kept.has(one.wanted.number));
    await Promise.all(gone.map((one) => this.#stop(one)));
    const outcomes = new Map<number, WritesOutcome>();
    for (const one of wanted) {
      const { number } = one;
      const started = kept.has(number) ? this.#running.get(number)?.spotter.started : null;
      outcomes.set(number, started ? outcomeOf(started, []) : await this.#start(one));
    }
    return outcomes;
  }

  /** What was written before is stored afterwards; does not wait for it for long. */
  async readSoon(): Promise<void> {
    await Promise.all(
      [...this.#running.values()].filter(({ isOver }) => !isOver).map((one) => one.spotter.sync()),
    );
  }

  /** The process has ended: its last writes are stored. Never rejects. */
  async finish(): Promise<void> {
    const timer = setTimeout(() => void this.close(), finishLimitMs);
    await Promise.all([...this.#running.values()].map(({ spotter }) => spotter.ended)).catch(
      () => undefined,
    );
    clearTimeout(timer);
    await this.close();
  }

  /** Nothing is watched any more. Never rejects. */
  async close(): Promise<void> {
    await Promise.all([...this.#running.values()].map((one) => this.#stop(one)));
  }

  async #stop(one: Running): Promise<void> {
    this.#running.delete(one.wanted.number);
    await one.spotter.close().catch(() => undefined);
  }

  async #start(wanted: WantedWrites): Promise<WritesOutcome> {
    const { pid } = wanted;
    const sites = new Map<number, string>();
    let spotter: Spotter;
    try {
      spotter = await Spotter.start({
        spotterPath: this.#parts.spotterPath,
        pid,
        address: wanted.address,
        bytes: wanted.bytes,
        take: async (spotted, mappings) => this.#take(wanted, { spotted, mappings, sites }),
      });
    } catch (error) {
      return { isWatched: false, why: `The spotter cannot be run: ${String(error)}` };
    }
    const others = [...this.#running.values()]
      .filter((one) => one.wanted.pid === pid && !one.isOver)
      .map((one) => one.wanted.label);
    const outcome = outcomeOf(spotter.started, others);
    if (!outcome.isWatched) {
      await spotter.close();
      return outcome;
    }
    const running: Running = { wanted, spotter, isOver: false, isFull: false };
    this.#running.set(wanted.number, running);
    spotter.ended
      .catch((error: unknown) => {
        this.#parts.warn('writes are no longer read', {
          session: this.#session.id,
          error: String(error),
        });
      })
      .finally(() => {
        running.isOver = true;
        this.#ended(running);
      });
    return outcome;
  }

  /** What ended though nobody wanted it to, and though its process lives. */
  #ended(running: Running): void {
    const { pid, number, label } = running.wanted;
    const isWanted = this.#running.get(number) === running && !running.isFull;
    if (!isWanted || hasEnded(pid)) return;
    const isFollowed = this.#followed++ < mostFollowed;
    const then = isFollowed
      ? 'looked for in that; its first writes may be missing'
      : 'add it again to watch that';
    this.#sink.note(`Watch ${label}: process ${pid} executed another program, ${then}.`);
    if (isFollowed) this.#sink.watchesChanged();
  }

  async #take(
    { pid, number, label }: WantedWrites,
    found: {
      readonly spotted: Spotted;
      readonly mappings: readonly Mapping[];
      readonly sites: Map<number, string>;
    },
  ): Promise<void> {
    const { spotted, mappings, sites } = found;
    const described: WriteSite[] = [];
    for (const site of spotted.sites) {
      const id = `${number}.${pid}.${this.#nextSite++}`;
      sites.set(site.number, id);
      described.push({ id, frames: await this.#frames(pid, site, mappings) });
    }
    const timeOf = (monotonicNs: bigint): number => Number(monotonicNs - this.#session.startNs);
    const writes = spotted.writes.map(({ monotonicNs, tid, site, isNear, old, now }) => ({
      watch: number,
      time: timeOf(monotonicNs),
      pid,
      tid,
      site: sites.get(site) ?? '',
      isNear,
      old: old === null ? null : String(old),
      now: now === null ? null : String(now),
    }));
    const time = writes.at(-1)?.time ?? 0;
    const missed = spotted.missed > 0 ? { count: spotted.missed, time } : null;
    await this.#sink.writes({ sites: described, writes, missed });
    const running = this.#running.get(number);
    if (running && spotted.full !== null) running.isFull = true;
    if (spotted.full !== null)
      this.#sink.note(
        `Watch ${label} recorded ${spotted.full} writes and stopped: remove it and add it again to continue.`,
      );
  }

  async #frames(
    pid: number,
    { registers: seen, stack }: SpottedSite,
    mappings: readonly Mapping[],
  ): Promise<readonly WriteFrame[]> {
    const registers = seen.map((word, i) =>
      i === pcRegister ? this.#islands.original(word) : word,
    );
    const isWhole = this.#described++ < mostDescribed;
    const snapshot: Snapshot = {
      pid,
      processor: processor.name,
      signal: null,
      mappings,
      stored: [],
      openFiles: null,
      problems: [],
      threads: [{ tid: 1, name: '', isOurs: false, registers, vectors: null, systemCall: null }],
      memory: isWhole ? [{ address: registers[processor.stack] ?? 0n, bytes: stack }] : [],
    };
    try {
      const report = await this.#parts.code.explain(snapshot, this.#session);
      return (report.threads[0]?.frames ?? [])
        .slice(0, framesKept)
        .map(({ pc, function: name, module, file, line, isOwn }) => ({
          pc,
          function: name,
          module,
          file,
          line,
          isOwn,
        }));
    } catch {
      return []; // The address alone says too little: the answer says that it is not known.
    }
  }
}

const noSpace = 28;
/** ENOTSUP, of the spotter itself. */
const notThere = 95;
const notAllowed: ReadonlySet<number> = new Set([1, 13]);
const tooManyFiles = 24;

function outcomeOf(
  { threads, refused, error }: SpotterStart,
  others: readonly string[],
): WritesOutcome {
  if (threads === 0) return { isWatched: false, why: reasonOf(error, others) };
  if (refused === 0) return { isWatched: true, notes: [] };
  const note = `${refused} of ${refused + threads} threads are not watched. ${reasonOf(error, others)}`;
  return { isWatched: true, notes: [note] };
}

function reasonOf(error: number, others: readonly string[]): string {
  if (error === noSpace) {
    const held = others.length > 0 ? `: ${others.join(', ')} use ${others.length}` : '';
    const rest = others.length < mostWriteWatches ? ', a debugger may hold others' : '';
    const remove = others.length > 0 ? `remove one of them, ${instead}` : instead;
    return `All ${mostWriteWatches} debug registers are in use${held}${rest}: ${remove}.`;
  }
  if (error === notThere)
    return `Write watches are not supported on this processor (${process.arch}): ${instead}.`;
  if (notAllowed.has(error))
    return `The kernel does not let us watch its writes (perf_event_paranoid, a container's rules): allow perf_event_open, ${instead}.`;
  if (error === tooManyFiles)
    return `Too many open files: one for each thread and processor. Raise ulimit -n, ${instead}.`;
  return `The kernel or the virtual machine has no debug registers for it (error ${error}; Linux 5.13 or later is needed): ${instead.slice(3)}.`;
}
