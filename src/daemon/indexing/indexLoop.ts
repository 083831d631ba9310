import { existsSync } from 'node:fs';
import { monotonicMs } from '../../base/clock.ts';
import { SessionWriter } from '../../db/writer/sessionWriter.ts';
import { firstActivation } from '../../model/eventColumns.ts';
import { Drain } from './drain.ts';
import { GivingWay } from './givingWay.ts';
import type {
  FromIndex,
  IndexWorkerOptions,
  KnownBefore,
  LifeRecord,
  ToIndex,
} from './indexMessages.ts';

const BUSY_POLL_MS = 2;
/** Where a poll finds little: who asks meanwhile has it read at once. */
const CALM_POLL_MS = 10;
/** Less work than this is little. */
const LITTLE_MS = 0.5;
const IDLE_POLL_MS = 50;
/** So many polls that found nothing, and it sleeps until it is woken. */
const POLLS_TO_SLEEP = 10;
/** What nobody wakes it for: a process that has ended, a thread that has. */
const ASLEEP_POLL_MS = 5000;
const COMMIT_MS = 200;
/** Busy for longer, it says that it lives. */
const ALIVE_MS = 1000;
/** How often a store that could not be written is tried again. */
const MEND_MS = 1000;

type Request = Exclude<ToIndex, { type: 'outputGrown' | 'open' | 'close' }>;

/**
 * Polls a session's rings and output log, more often the more there is to read and hardly ever while
 * nothing happens, and commits a few times a second or when asked. A store that cannot be written (a full disk) is given up to its last
 * commit and gone on with when it can be: rings and log are read again from there.
 */
export class IndexLoop {
  readonly #options: IndexWorkerOptions;
  readonly #say: (message: FromIndex) => void;
  readonly #ringPaths = new Set<string>();
  readonly #outputPaths = new Set<string>();
  #known: KnownBefore = { functions: [], nextWatch: 0, indexedTo: 0 };
  /** Null while the store cannot be written, and after its end. */
  #drain: Drain | null = null;
  #trouble = '';
  #waitMs = BUSY_POLL_MS;
  #quietPolls = 0;
  #asleep = false;
  #dirty = false;
  #toldAt = monotonicMs();
  #aliveAt = monotonicMs();
  readonly #givingWay = new GivingWay(monotonicMs());
  #timer: NodeJS.Timeout | undefined;

  private constructor(options: IndexWorkerOptions, say: (message: FromIndex) => void) {
    this.#options = options;
    this.#say = say;
  }

  /** Opens the store and begins, or goes on; throws when it cannot be opened. */
  static start(options: IndexWorkerOptions, say: (message: FromIndex) => void): IndexLoop {
    const loop = new IndexLoop(options, say);
    const drain = loop.#open(options.continues);
    loop.#drain = drain;
    // Known before anything can go wrong with the store.
    if (!options.continues) say({ type: 'progress', settled: drain.committed });
    loop.#tick();
    return loop;
  }

  /** Told often: while output comes all the time the next tick reads it, so that requests are not kept waiting. */
  outputGrown(): void {
    if (this.#waitMs === BUSY_POLL_MS) return;
    this.#rouse();
    this.#guarded((drain) => {
      if (drain.pollOutput()) {
        this.#dirty = true;
        this.#waitMs = BUSY_POLL_MS;
      }
      this.#commitWhenDue(drain);
    });
  }

  /** Throws when it cannot be done; what the store is to blame for is told as a fault, too. */
  answer(message: Request): FromIndex {
    const { request } = message;
    this.#rouse();
    switch (message.type) {
      case 'functions':
        // Committed at once: their records may come at any moment, to this drain or to the next.
        this.#do((drain) => {
          drain.defineFunctions(message.functions);
          drain.commit();
        });
        return { type: 'answer', request, settled: null };
      case 'watches':
        this.#do((drain) => {
          drain.defineWatches(message.watches);
          drain.commit();
        });
        return { type: 'answer', request, settled: null };
      case 'ring':
        this.#ringPaths.add(message.path);
        this.#do((drain) => drain.addRing(message.path));
        return { type: 'answer', request, settled: null };
      case 'crash':
        this.#do((drain) => drain.addCrash(message.crash));
        this.#dirty = true;
        return { type: 'answer', request, settled: null };
      case 'exception':
        this.#do((drain) => drain.addException(message.exception));
        this.#dirty = true;
        return { type: 'answer', request, settled: null };
      case 'writes':
        this.#do((drain) => drain.addWrites(message.writes));
        this.#dirty = true;
        return { type: 'answer', request, settled: null };
      case 'output':
        this.#outputPaths.add(message.path);
        this.#do((drain) => drain.addOutput(message.path));
        return { type: 'answer', request, settled: null };
      case 'untraced':
        this.#do((drain) => {
          drain.addUntraced(message.from, message.to);
          drain.commit();
        });
        return { type: 'answer', request, settled: null };
      case 'known':
        return { type: 'answer', request, settled: null, known: this.#known };
      case 'settle': {
        const settled = this.#do((drain) => drain.settle(message.final));
        this.#committed();
        return { type: 'answer', request, settled };
      }
    }
  }

  /** Commits and ends; false when the thread is not as it was before: something failed, or its niceness stays. */
  close(): boolean {
    this.#rouse();
    this.#guarded((drain) => drain.commit());
    const drain = this.#drain;
    // What is asked on the way to the end finds nothing: the numbers of its files are others' by then.
    this.#drain = null;
    this.#trouble = 'The store is closed.';
    clearTimeout(this.#timer);
    drain?.close();
    return this.#givingWay.end() && drain !== null;
  }

  #open(continues: boolean): Drain {
    const options = this.#options;
    const limits = {
      sessionId: options.sessionId,
      maxEvents: options.maxEvents,
      maxOutputBytes: options.maxOutputBytes,
      secretNames: options.secretNames,
      terminal: options.terminal,
    };
    const { writer, sources } = continues
      ? SessionWriter.continue(options.storePath, limits)
      : { writer: SessionWriter.open(options.storePath, limits), sources: null };
    const tell = (record: LifeRecord): void => this.#say({ type: 'life', record });
    let drain: Drain | null = null;
    try {
      drain = new Drain(options, writer, tell, () => this.#alive());
      for (const message of drain.continueFrom(sources)) this.#say({ type: 'fault', message });
      // Those of programs that have ended are read to their end and gone.
      for (const path of this.#ringPaths) if (existsSync(path)) drain.addRing(path);
      for (const path of this.#outputPaths) drain.addOutput(path);
      this.#known = {
        // Those that processes defined have their numbers from what they are read by.
        functions: writer.functions().filter((fn) => fn.number < firstActivation),
        nextWatch: writer.nextWatch(),
        indexedTo: writer.summary().indexedTo,
      };
      return drain;
    } catch (error) {
      (drain ?? writer).close();
      throw error;
    }
  }

  #alive(): void {
    if (monotonicMs() - this.#aliveAt < ALIVE_MS) return;
    this.#aliveAt = monotonicMs();
    this.#say({ type: 'alive' });
  }

  #tick(): void {
    const beganMs = monotonicMs();
    if (!this.#drain) this.#mend();
    this.#guarded((drain) => {
      if (drain.poll()) this.#found(monotonicMs() - beganMs);
      else this.#foundNothing(drain);
      this.#commitWhenDue(drain);
    });
    this.#givingWay.worked(beganMs, monotonicMs());
    this.#tickIn(this.#drain ? this.#waitMs : MEND_MS);
  }

  #tickIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tick(), ms);
  }

  #found(workedMs: number): void {
    this.#rouse();
    this.#dirty = true;
    this.#quietPolls = 0;
    this.#waitMs = workedMs < LITTLE_MS ? CALM_POLL_MS : BUSY_POLL_MS;
  }

  #foundNothing(drain: Drain): void {
    this.#quietPolls++;
    if (this.#asleep) {
      this.#waitMs = ASLEEP_POLL_MS;
      return;
    }
    this.#waitMs = Math.min(IDLE_POLL_MS, this.#waitMs * 2);
    // What is read is stored first: the file may be removed by that.
    if (this.#quietPolls < POLLS_TO_SLEEP || this.#dirty) return;
    this.#quietPolls = 0;
    this.#asleep = drain.sleep(() => this.#rouse());
  }

  /** Something may have happened. */
  #rouse(): void {
    if (!this.#asleep) return;
    this.#asleep = false;
    this.#drain?.rouse();
    this.#quietPolls = 0;
    this.#waitMs = BUSY_POLL_MS;
    this.#tickIn(BUSY_POLL_MS);
  }

  #commitWhenDue(drain: Drain): void {
    if (!this.#dirty) return;
    const isDue = monotonicMs() - this.#toldAt >= COMMIT_MS;
    if (!isDue && !drain.isPressed) return;
    drain.commit();
    this.#committed();
    if (!isDue) return;
    this.#toldAt = monotonicMs();
    this.#say({ type: 'progress', settled: drain.committed });
  }

  #committed(): void {
    this.#dirty = false;
  }

  #guarded(work: (drain: Drain) => void): void {
    try {
      if (this.#drain) this.#do(work);
    } catch {
      // Told as a fault; the next tick tries again.
    }
  }

  #do<T>(work: (drain: Drain) => T): T {
    const drain = this.#drain;
    if (!drain) throw new Error(this.#trouble);
    try {
      return work(drain);
    } catch (error) {
      this.#drain = null;
      this.#asleep = false;
      this.#breaks(error);
      drain.close();
      throw error;
    }
  }

  #breaks(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    if (this.#trouble === '') this.#say({ type: 'fault', message: why });
    this.#trouble = why;
  }

  #mend(): void {
    try {
      this.#drain = this.#open(true);
      this.#say({ type: 'mended', trouble: this.#trouble });
      this.#trouble = '';
    } catch (error) {
      this.#breaks(error);
    }
  }
}
