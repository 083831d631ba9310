import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ClockMap } from '../../collector/rings/clockMap.ts';
import { SessionDefinitions } from '../../collector/rings/sessionDefinitions.ts';
import type { PayloadPlans } from '../../collector/rings/payloadPlan.ts';
import { RingFile } from '../../collector/rings/ringFile.ts';
import type { SlotState } from '../../collector/rings/slotReader.ts';
import type { RingSink } from '../../collector/rings/ringSink.ts';

/** Forked processes are asked so many at a time whether they are still there. */
const ASKED_AT_ONCE = 32;
/** Of a call without a ring the entry is counted, and no end is seen. */
const EVENTS_OF_CALL = 2;

/** What was counted in a ring file's header and is told already. */
interface Told {
  noRing: number;
  noMemory: number;
  forkedLost: number;
}

/** How far a ring was read. JSON. */
export interface RingState {
  readonly path: string;
  readonly slots: readonly (SlotState | null)[];
  readonly told: Told;
  /** Path of the first process's ring, for that of a forked child. */
  readonly origin: string | null;
}

interface Forked {
  readonly origin: OpenRing;
  /** What tells the process from a later one of its number; null: it was gone already. */
  readonly mark: ProcessMark | null;
  isGone: boolean;
}

interface OpenRing {
  readonly file: RingFile;
  readonly told: Told;
  readonly forked: Forked | null;
  /** Where the stack of its program begins; undefined for a ring of an earlier worker. */
  readonly stack: string | undefined;
  /** Rings that forked descendants had made when they were looked for. */
  found: number;
}

/** Who takes what the rings of a session hold. */
export interface RingsSink extends RingSink {
  lost(cause: 'noRing' | 'noMemory' | 'noForkedRing', count: number): void;
  /** The first traced call of a forked process; `at` is CLOCK_MONOTONIC. */
  forked(pid: number, parent: number, at: bigint): void;
  /** Such a process has ended; of one that became another program by exec only its ring has. */
  ended(pid: number): void;
  /** The file of a process that has ended was read to its end and removed. */
  removed(ring: string): void;
}

/** All ring files of a session: those of traced processes, and those their forked children make. */
export class SessionRings {
  readonly #clock: ClockMap;
  readonly #plans: PayloadPlans;
  readonly #sink: RingsSink;
  readonly definitions = new SessionDefinitions();
  #rings: OpenRing[] = [];
  #nextAsked = 0;
  #isPolling = false;

  constructor(clock: ClockMap, plans: PayloadPlans, sink: RingsSink) {
    this.#clock = clock;
    this.#plans = plans;
    this.#sink = sink;
  }

  /** A ring that is read already is read on. Throws when the file is none. */
  add(path: string): void {
    if (!this.#rings.some(({ file }) => file.path === path)) this.#open(path);
  }

  /** Takes up rings where another reader left them; returns what is gone. */
  continueFrom(states: readonly RingState[]): string[] {
    const gone: string[] = [];
    for (const state of states) {
      const origin = this.#rings.find(({ file }) => file.path === state.origin) ?? null;
      try {
        const ring = this.#open(state.path, state.slots, origin);
        Object.assign(ring.told, state.told);
      } catch (error) {
        // A forked child's file is removed once it is read to its end.
        if (state.origin === null)
          gone.push(`The ring ${state.path} cannot be read on: ${String(error)}.`);
      }
    }
    return gone;
  }

  /** Reads what is there; returns whether anything was. `final`: all processes are gone. */
  poll(final: boolean): boolean {
    for (const ring of this.#rings) if (!ring.forked) this.#findForked(ring, final);
    this.#askForked();
    let any = false;
    this.#isPolling = true;
    try {
      for (const ring of this.#rings) if (this.#pollRing(ring, final)) any = true;
    } finally {
      this.#isPolling = false;
    }
    return any;
  }

  #pollRing(ring: OpenRing, final: boolean): boolean {
    const isLast = final || ring.forked?.isGone === true;
    const any = ring.file.poll(this.#clock, this.#plans, this.#sink, isLast);
    this.#tellLost(ring);
    // Files of ended processes wait for a commit.
    return any || ring.forked?.isGone === true;
  }

  /** Threads that start may soon find no ring, until what was read is stored. */
  get areCrowded(): boolean {
    return this.#rings.some(({ file }) => file.isCrowded);
  }

  /** What was read is stored: the engines may write over it, and files of ended processes go. */
  publishConsumed(): void {
    for (const ring of this.#rings) ring.file.publishConsumed();
    if (this.#isPolling) return;
    const ended = this.#rings.filter(({ forked, file }) => forked?.isGone === true && file.isRead);
    if (ended.length === 0) return;
    for (const ring of ended) {
      this.#sink.removed(ring.file.path);
      ring.forked?.origin.file.giveBack(ring.file.taken());
      ring.file.close();
      rmSync(ring.file.path, { force: true });
      rmSync(`${ring.file.path}.defs`, { force: true });
      this.definitions.ended(ring.file.path);
    }
    this.#rings = this.#rings.filter((ring) => !ended.includes(ring));
  }

  state(): RingState[] {
    return this.#rings.map(({ file, told, forked }) => ({
      path: file.path,
      slots: file.state(),
      told,
      origin: forked?.origin.file.path ?? null,
    }));
  }

  /** Those that are read. */
  get files(): readonly RingFile[] {
    return this.#rings.map(({ file }) => file);
  }

  close(): void {
    for (const { file } of this.#rings) file.close();
  }

  #open(
    path: string,
    slots?: readonly (SlotState | null)[],
    origin: OpenRing | null = null,
  ): OpenRing {
    const file = new RingFile(path, slots, this.definitions);
    const own = processMark(file.pid);
    // A fork keeps its parent's stack; an exec comes before its ring is found at times.
    const mark = origin && own && { ...own, stack: origin.stack ?? own.stack };
    const ring: OpenRing = {
      file,
      stack: slots ? undefined : own?.stack,
      told: { noRing: 0, noMemory: 0, forkedLost: 0 },
      forked: origin && { origin, mark, isGone: own === null },
      found: 0,
    };
    // A child's anchor adds nothing, and it may have lost its processor between the two clocks.
    if (!origin) this.#clock.add(file.anchor);
    this.#rings.push(ring);
    return ring;
  }

  #findForked(ring: OpenRing, final: boolean): void {
    const made = ring.file.forkedRings();
    if (made === ring.found && !final) return;
    ring.found = made;
    const prefix = `${basename(ring.file.path)}.`;
    const folder = dirname(ring.file.path);
    const known = new Set(this.#rings.map(({ file }) => file.path));
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const isForked = name.startsWith(prefix) && /^\d+\.\d+$/.test(name.slice(prefix.length));
      if (!isForked || known.has(path)) continue;
      let found: OpenRing;
      try {
        found = this.#open(path, undefined, ring);
      } catch {
        continue; // It is being made: the count goes up once it is complete.
      }
      const { file, forked } = found;
      this.#sink.forked(file.pid, file.parent, file.anchor.monotonicNs);
      if (forked?.isGone === true) this.#sink.ended(file.pid);
    }
  }

  /** Asked before reading: what a process that is gone has written is all there. */
  #askForked(): void {
    const forked = this.#rings.filter((ring) => ring.forked?.isGone === false);
    for (let count = Math.min(ASKED_AT_ONCE, forked.length); count > 0; count--) {
      const ring = forked[this.#nextAsked++ % forked.length];
      if (!ring?.forked) continue;
      const { mark } = ring.forked;
      const now = processMark(ring.file.pid);
      const isSameProcess = now?.start === mark?.start;
      if (isSameProcess && now?.stack === mark?.stack) continue;
      ring.forked.isGone = true;
      // After an exec the process lives, but its new program does not write this ring.
      if (!isSameProcess) this.#sink.ended(ring.file.pid);
    }
  }

  #tellLost(ring: OpenRing): void {
    const { told } = ring;
    const now = ring.file.lostWithoutRing();
    const causes = {
      noRing: { cause: 'noRing', events: EVENTS_OF_CALL },
      noMemory: { cause: 'noMemory', events: 1 },
      forkedLost: { cause: 'noForkedRing', events: EVENTS_OF_CALL },
    } as const;
    for (const key of ['noRing', 'noMemory', 'forkedLost'] as const) {
      if (now[key] <= told[key]) continue;
      const { cause, events } = causes[key];
      this.#sink.lost(cause, (now[key] - told[key]) * events);
      told[key] = now[key];
    }
  }
}

/** `start`: the start time of a process; `stack`: where its stack begins, which an exec changes. */
interface ProcessMark {
  readonly start: string | undefined;
  readonly stack: string | undefined;
}

/** Null when the process is gone or a zombie. Source: proc(5), /proc/pid/stat. */
function processMark(pid: number): ProcessMark | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The name, in parentheses, may hold spaces and parentheses; the state is the third field.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  if (state === 'Z' || state === 'X') return null;
  return { start: fields[22 - 3], stack: fields[28 - 3] };
}
