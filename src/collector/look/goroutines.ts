import type { GoRuntime } from './goRuntime.ts';
import { ProcessMemory } from './processMemory.ts';

/** A goroutine as it was at one moment; nothing is stopped for that. */
export interface SeenGoroutine {
  readonly number: number;
  /** Null: it runs. */
  readonly stands: { readonly pc: number; readonly sp: number; readonly bp: number } | null;
  /** In the runtime's words: `chan receive`; null: it runs. */
  readonly waitsFor: string | null;
  /** Address of the channel or the semaphore. */
  readonly object: number | null;
  /** Its stack from where it stands on. */
  readonly stack: Buffer;
  /** Return addresses, newest first: equal for those that stand at the same place. */
  readonly place: string;
}

const mostGoroutines = 20_000;
const mostStack = 32 << 10;
const mostFrames = 64;
/** runtime.g */
const g = { high: 8, sp: 56, pc: 64, bytes: 512 } as const;
const status = { runnable: 1, running: 2, systemCall: 3, waiting: 4, preempted: 9, scan: 0x1000 };
/** Behind its number: how it stands before it, and why it waits. */
const statusBefore = 8;
const reasonBehind = 24;
/** runtime.semTable: a root for each remainder, in a line of the cache of its own. */
const semaphoreTable = { count: 251, bytes: 64, tree: 8 } as const;
const sudog = { goroutine: 0, next: 8, previous: 16 } as const;
const mostWaiting = 20_000;

/** Goroutines that have not ended, and how many there are besides. `base`: where the program lies, if it is movable. */
export function goroutinesOf(
  pid: number,
  runtime: GoRuntime,
  base: number,
): { readonly goroutines: readonly SeenGoroutine[]; readonly more: number } {
  using memory = new ProcessMemory(pid);
  const reader = new Reader(memory, runtime, runtime.isMovable ? base : 0);
  return reader.all();
}

class Reader {
  readonly #memory: ProcessMemory;
  readonly #runtime: GoRuntime;
  readonly #bias: number;
  readonly #reasons = new Map<number, string>();

  constructor(memory: ProcessMemory, runtime: GoRuntime, bias: number) {
    this.#memory = memory;
    this.#runtime = runtime;
    this.#bias = bias;
  }

  all(): { goroutines: SeenGoroutine[]; more: number } {
    const list = this.#runtime.goroutines + this.#bias;
    const [first, count] = [this.#word(list), this.#word(list + 8)];
    const semaphores = this.#waitingForSemaphores();
    const goroutines: SeenGoroutine[] = [];
    for (let i = 0; i < Math.min(count, mostGoroutines); i++) {
      const one = this.#read(this.#word(first + 8 * i), semaphores);
      if (one !== null) goroutines.push(one);
    }
    return { goroutines, more: Math.max(0, count - mostGoroutines) };
  }

  #read(address: number, semaphores: ReadonlyMap<number, number>): SeenGoroutine | null {
    const { layout } = this.#runtime;
    const bytes = this.#memory.read(address, g.bytes);
    if (bytes.length < g.bytes) return null;
    const word = (at: number): number => Number(bytes.readBigUInt64LE(at));
    const state = bytes.readUInt32LE(layout.number - statusBefore) & ~status.scan;
    const number = word(layout.number);
    const running = { number, stands: null, waitsFor: null, object: null, ...nowhere };
    if (state === status.running) return running;
    const isCall = state === status.systemCall;
    const isWaiting = state === status.waiting;
    if (!isCall && !isWaiting && state !== status.runnable && state !== status.preempted)
      return null;
    const sp = word(isCall ? layout.inSystemCall : g.sp);
    const pc = word(isCall ? layout.inSystemCall + 8 : g.pc);
    const bp = word(layout.framePointer);
    const length = word(g.high) - sp;
    const stack = length > 0 ? this.#memory.read(sp, Math.min(length, mostStack)) : Buffer.alloc(0);
    return {
      number,
      stands: { pc, sp, bp },
      waitsFor: isCall
        ? 'a system call'
        : isWaiting
          ? this.#reason(bytes[layout.number + reasonBehind] ?? 0)
          : 'its turn',
      object: isWaiting ? this.#object(address, word(layout.waiting), semaphores) : null,
      stack,
      place: placeOf({ pc, sp, bp }, stack),
    };
  }

  #object(
    goroutine: number,
    waiting: number,
    semaphores: ReadonlyMap<number, number>,
  ): number | null {
    const semaphore = semaphores.get(goroutine);
    if (semaphore !== undefined) return semaphore;
    const channel = waiting === 0 ? 0 : this.#word(waiting + this.#runtime.layout.channel);
    return channel === 0 ? null : channel;
  }

  /** The semaphore that each waits for, by the addresses of goroutines. */
  #waitingForSemaphores(): Map<number, number> {
    const { element, waitLink } = this.#runtime.layout;
    const found = new Map<number, number>();
    const table = this.#runtime.semaphores + this.#bias;
    const left: number[] = [];
    for (let i = 0; i < semaphoreTable.count; i++)
      left.push(this.#word(table + i * semaphoreTable.bytes + semaphoreTable.tree));
    for (let at = left.pop(); at !== undefined && found.size < mostWaiting; at = left.pop()) {
      if (at === 0) continue;
      const semaphore = this.#word(at + element);
      left.push(this.#word(at + sudog.next), this.#word(at + sudog.previous));
      for (let one = at; one !== 0; one = this.#word(one + waitLink)) {
        const goroutine = this.#word(one + sudog.goroutine);
        if (found.has(goroutine)) break;
        found.set(goroutine, semaphore);
      }
    }
    return found;
  }

  #reason(number: number): string {
    const known = this.#reasons.get(number);
    if (known !== undefined) return known;
    const header = this.#runtime.reasons + this.#bias + 16 * number;
    const text = this.#memory.read(this.#word(header), Math.min(this.#word(header + 8), 64));
    const reason = text.length > 0 ? text.toString('utf8') : 'something unknown';
    this.#reasons.set(number, reason);
    return reason;
  }

  /** 0: it cannot be read. */
  #word(address: number): number {
    const bytes = this.#memory.read(address, 8);
    return bytes.length < 8 ? 0 : Number(bytes.readBigUInt64LE(0));
  }
}

const nowhere = { stack: Buffer.alloc(0), place: '' } as const;

/** Go's frames are a list by their frame pointers. */
function placeOf({ pc, sp, bp }: NonNullable<SeenGoroutine['stands']>, stack: Buffer): string {
  const places = [pc];
  let at = bp - sp;
  while (at >= 0 && at + 16 <= stack.length && places.length < mostFrames) {
    places.push(Number(stack.readBigUInt64LE(at + 8)));
    const next = Number(stack.readBigUInt64LE(at)) - sp;
    if (next <= at) break;
    at = next;
  }
  return places.join();
}
