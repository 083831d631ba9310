import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { monotonicMs } from '../../base/clock.ts';
import { ProgramMark } from '../../base/programMark.ts';
import { removeUnwrittenCrash } from '../../collector/crash/readCrashFile.ts';
import type { ClockMap } from '../../collector/rings/clockMap.ts';
import { FamilyFile } from '../../collector/rings/familyFile.ts';
import { GoroutineEvents } from '../../collector/rings/goroutineEvents.ts';
import { SessionDefinitions } from '../../collector/rings/sessionDefinitions.ts';
import type { PayloadPlans } from '../../collector/rings/payloadPlan.ts';
import { RingFile } from '../../collector/rings/ringFile.ts';
import type { SlotState } from '../../collector/rings/slotReader.ts';
import type { RingSink } from '../../collector/rings/ringSink.ts';
import type { WakingFile } from '../../collector/rings/wakeCalls.ts';

/** Processes are asked so many at a time, and so often, whether they are still there. */
const ASKED_AT_ONCE = 32;
const ASKED_EVERY_MS = 20;
/** Of a call without a ring the entry is counted, and no end is seen. */
const EVENTS_OF_CALL = 2;

/** What was counted in a ring file's header and is told already. */
interface Told {
  noRing: number;
  noMemory: number;
  forbidden: number;
}

/** How far a ring was read. JSON. */
interface RingState {
  readonly path: string;
  readonly slots: readonly (SlotState | null)[];
  readonly told: Told;
  readonly isForked: boolean;
  /** Its process has ended and all was read: the file goes with the commit that stores this. */
  readonly isOver: boolean;
}

/** How far all rings of a session were read. JSON. */
export interface RingsState {
  readonly rings: readonly RingState[];
  /** Entries of forked processes without a ring that are told. */
  readonly forkedLost: number;
}

interface OpenRing {
  readonly file: RingFile;
  readonly told: Told;
  readonly isForked: boolean;
  /** Where its calls go on on other threads. */
  readonly goroutines: GoroutineEvents | null;
  /** That of the goroutines whose threads it is of: it is read with that. */
  callers: OpenRing | null;
  /** Read by nobody before. */
  readonly isNew: boolean;
  /** The program that writes it; null: it was gone already. */
  readonly program: ProgramMark | null;
  isGone: boolean;
  /** It has ended, and all it holds was read. */
  isRead: boolean;
}

/** Who takes what the rings of a session hold. */
export interface RingsSink extends RingSink {
  lost(cause: 'noRing' | 'noMemory' | 'forbidden' | 'noForkedRing', count: number): void;
  /** The first traced call of a forked process; `at` is CLOCK_MONOTONIC. */
  forked(pid: number, parent: number, at: bigint): void;
  /** Such a process has ended; of one that became another program by exec only its ring has. */
  ended(pid: number): void;
  /** The file of a process that has ended was read to its end and removed. */
  removed(ring: string): void;
}

/**
 * All ring files of a session: those of traced processes, and those their forked children make. The file of a
 * program that has ended, or was replaced, is removed once all it holds is stored.
 */
export class SessionRings {
  readonly #clock: ClockMap;
  readonly #plans: PayloadPlans;
  readonly #sink: RingsSink;
  readonly definitions = new SessionDefinitions();
  #rings: OpenRing[] = [];
  #family: FamilyFile | null = null;
  #forkedLost = 0;
  /** Rings that forked processes had made when they were looked for. */
  #foundForked = 0;
  #nextAsked = 0;
  #askedAt = 0;
  #isPolling = false;

  constructor(clock: ClockMap, plans: PayloadPlans, sink: RingsSink) {
    this.#clock = clock;
    this.#plans = plans;
    this.#sink = sink;
  }

  /** Adding a ring twice is a no-op. Throws when the file is no ring. */
  add(path: string): void {
    if (!this.#rings.some(({ file }) => file.path === path)) this.#open(path, false);
  }

  /** Takes up rings where another reader left them; returns what is gone. */
  continueFrom({ rings, forkedLost }: RingsState): string[] {
    const gone: string[] = [];
    this.#forkedLost = forkedLost;
    for (const { path, slots, told, isForked, isOver } of rings) {
      try {
        Object.assign(this.#open(path, isForked, slots).told, told);
      } catch (error) {
        // That of an ended process is removed once it is read to its end.
        if (!isForked && !isOver)
          gone.push(`Reading the events in ${path} failed: ${String(error)}.`);
      }
    }
    return gone;
  }

  /** What writers that are outside their processes have written down of the clock. */
  takeAnchors(): void {
    for (const { file } of this.#rings)
      if (file.isFromOutside && file.takeAnchor()) this.#clock.add(file.anchor);
  }

  /** Reads what is there; returns whether anything was. `final`: all processes are gone. */
  poll(final: boolean): boolean {
    this.#findForked(final);
    this.#askPrograms();
    let any = false;
    this.#isPolling = true;
    try {
      for (const ring of this.#rings) if (this.#pollRing(ring, final)) any = true;
    } finally {
      this.#isPolling = false;
    }
    this.#tellForkedLost();
    return any;
  }

  #pollRing(ring: OpenRing, final: boolean): boolean {
    const isLast = final || ring.isGone;
    const any = this.#readRing(ring, isLast);
    this.#tellLost(ring);
    // The commit that removes the file of an ended process is asked for once.
    const isAsked = ring.isRead;
    ring.isRead = mayGo(ring);
    return any || (ring.isGone && !isAsked);
  }

  /** Threads that start may soon find no ring, until what was read is stored. */
  get areCrowded(): boolean {
    return this.#rings.some(({ file }) => file.isCrowded);
  }

  #readRing(ring: OpenRing, isLast: boolean): boolean {
    const { file, goroutines, callers } = ring;
    if (callers !== null) return false;
    if (goroutines === null) return file.poll(this.#clock, this.#plans, this.#sink, isLast);
    const ofC = this.#rings.filter((other) => other.callers === ring);
    const all = [ring, ...ofC];
    const isGone = all.some((one) => one.isGone);
    for (const one of all) one.isGone = isGone;
    const isEnd = isLast || isGone;
    const poll = (): boolean => {
      const isAny = file.poll(this.#clock, this.#plans, goroutines, isEnd);
      const read = ofC.map((one) => one.file.poll(this.#clock, this.#plans, goroutines.ofC, isEnd));
      return isAny || read.includes(true);
    };
    const any = poll();
    const known = goroutines.newest;
    goroutines.removed(file.removed);
    // What happened before that on other threads is read by the second time.
    const isMore = poll();
    if (isEnd) goroutines.end();
    else if (!all.some((one) => one.file.isStuck)) goroutines.tellTo(known);
    return any || isMore;
  }

  /** What was read is stored: the engines may write over it, and files of ended processes go. */
  publishConsumed(): void {
    for (const ring of this.#rings) ring.file.publishConsumed();
    if (this.#isPolling) return;
    const ended = this.#rings.filter(mayGo);
    if (ended.length === 0) return;
    for (const { file, isForked } of ended) {
      this.#sink.removed(file.path);
      if (isForked) this.#family?.giveBack(file.taken());
      file.close();
      rmSync(file.path, { force: true });
      rmSync(`${file.path}.defs`, { force: true });
      removeUnwrittenCrash(file.path);
      this.definitions.ended(file.path);
    }
    this.#rings = this.#rings.filter((ring) => !ended.includes(ring));
  }

  state(): RingsState {
    return {
      rings: this.#rings.map((ring) => ({
        path: ring.file.path,
        slots: ring.file.state(),
        told: ring.told,
        isForked: ring.isForked,
        isOver: mayGo(ring),
      })),
      forkedLost: this.#forkedLost,
    };
  }

  /** What wakes who waits for more. */
  get files(): readonly WakingFile[] {
    const family = this.#family === null ? [] : [this.#family];
    return [...family, ...this.#rings.map(({ file }) => file)];
  }

  close(): void {
    this.#family?.close();
    for (const { file } of this.#rings) file.close();
  }

  #open(path: string, isForked: boolean, slots?: readonly (SlotState | null)[]): OpenRing {
    const file = new RingFile(path, slots, this.definitions);
    // That of an earlier reader's ring may have been replaced before a child of it is found.
    const isNew = slots === undefined;
    const parent =
      isForked && isNew ? this.#rings.find((one) => one.file.pid === file.parent) : null;
    const pid = isForked ? file.pid : (enteredPid(path) ?? file.pid);
    const program = ProgramMark.of(pid, parent?.isNew === true ? parent.program : null);
    const ring: OpenRing = {
      file,
      told: { noRing: 0, noMemory: 0, forbidden: 0 },
      isForked,
      goroutines: file.isOfGoroutines ? new GoroutineEvents(this.#sink, !isNew, this.#clock) : null,
      isNew,
      program,
      callers: null,
      isGone: program === null,
      isRead: false,
    };
    this.#joinCallers(ring);
    // A child's anchor adds nothing, and it may have lost its processor between the two clocks.
    if (!isForked) this.#clock.add(file.anchor);
    this.#rings.push(ring);
    this.#openFamily(dirname(path));
    return ring;
  }

  /** A program of Go that has a loader has two: of its goroutines, and of what threads run of C. */
  #joinCallers(ring: OpenRing): void {
    const others = this.#rings.filter(
      (other) => ring.program?.isSame(other.program) === true && !other.isForked && !other.isGone,
    );
    const isOfC = ({ file, isForked, callers }: OpenRing): boolean =>
      !file.isFromOutside && !isForked && callers === null;
    if (isOfC(ring)) ring.callers = others.findLast((other) => other.goroutines !== null) ?? null;
    const callee = ring.goroutines && others.findLast(isOfC);
    if (callee) callee.callers = ring;
  }

  #openFamily(folder: string): void {
    try {
      this.#family ??= new FamilyFile(folder);
    } catch {
      // Its rings were kept and are read again elsewhere: there is nobody left to fork.
    }
  }

  #findForked(final: boolean): void {
    const made = this.#family?.rings ?? 0;
    const folder = this.#family === null ? null : dirname(this.#family.path);
    if (folder === null || (made === this.#foundForked && !final)) return;
    this.#foundForked = made;
    const known = new Set(this.#rings.map(({ file }) => file.path));
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (!/ring\.\d+\.\d+$/.test(name) || known.has(path)) continue;
      let found: OpenRing;
      try {
        found = this.#open(path, true);
      } catch {
        continue; // It is being made: the count goes up once it is complete.
      }
      const { file, isGone } = found;
      this.#sink.forked(file.pid, file.parent, file.anchor.monotonicNs);
      if (isGone) this.#sink.ended(file.pid);
    }
  }

  /** Asked before reading: what a process that is gone has written is all there. */
  #askPrograms(): void {
    if (monotonicMs() - this.#askedAt < ASKED_EVERY_MS) return;
    this.#askedAt = monotonicMs();
    const there = this.#rings.filter((ring) => !ring.isGone);
    for (let count = Math.min(ASKED_AT_ONCE, there.length); count > 0; count--) {
      const ring = there[this.#nextAsked++ % there.length];
      const state = ring?.program?.state() ?? 'ended';
      if (!ring || state === 'runs') continue;
      ring.isGone = true;
      // After an exec the process lives, but its new program does not write this ring.
      if (ring.isForked && state === 'ended') this.#sink.ended(ring.file.pid);
    }
  }

  #tellLost({ file, told }: OpenRing): void {
    const now = file.lostWithoutRing();
    if (now.noRing > told.noRing)
      this.#sink.lost('noRing', (now.noRing - told.noRing) * EVENTS_OF_CALL);
    for (const cause of ['noMemory', 'forbidden'] as const)
      if (now[cause] > told[cause]) this.#sink.lost(cause, now[cause] - told[cause]);
    Object.assign(told, now);
  }

  #tellForkedLost(): void {
    const lost = this.#family?.lost ?? 0;
    if (lost <= this.#forkedLost) return;
    this.#sink.lost('noForkedRing', (lost - this.#forkedLost) * EVENTS_OF_CALL);
    this.#forkedLost = lost;
  }
}

/** `<pid>.ring`, `<pid>.2.ring`: in a process namespace of its own the process calls itself otherwise. */
function enteredPid(path: string): number | null {
  const pid = /\/(\d+)(?:\.\d+)?\.ring$/.exec(path)?.[1];
  return pid === undefined ? null : Number(pid);
}

function mayGo({ isGone, file }: OpenRing): boolean {
  return isGone && file.isRead;
}
