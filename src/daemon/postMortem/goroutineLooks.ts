import { within } from '../../base/deadline.ts';
import { goRuntimeOf, type GoRuntime } from '../../collector/look/goRuntime.ts';
import { goroutinesOf, type SeenGoroutine } from '../../collector/look/goroutines.ts';
import type { StackFrame } from '../../model/endings/crashReport.ts';
import type { TaskLook } from '../../model/endings/runtimeStacks.ts';
import type { Snapshot } from '../../model/endings/snapshot.ts';
import { StrobeError } from '../../model/errors.ts';
import { processorOf } from '../../model/processors.ts';
import { ownUnits } from '../../symbols/native/ownUnits.ts';
import type { StackFacts, StackParts } from './explainSnapshot.ts';

/** A question for the status does not wait longer for stacks. */
const STACKS_LIMIT_MS = 1500;
/** Places at which goroutines stand that are described. */
const MOST_PLACES = 48;
const NUMBERS_SHOWN = 4;
/** Numbers of rsp and rbp, as DWARF has them. */
const STACK = 7;
const FRAME = 6;
/** Where the semaphore is in what is waited for, in bytes. */
const semaphoreAt: Readonly<Record<string, number>> = {
  'sync.Mutex.Lock': 4,
  'sync.RWMutex.Lock': 8,
  'sync.RWMutex.RLock': 12,
  'sync.WaitGroup.Wait': 8,
};
const locks = /^sync\.(?:RW)?Mutex\./;
const channels = /^chan (?:receive|send)$/;
/** Only another goroutine ends such a wait. */
const idle = /^(?:sync\.|sema|chan |select \(no cases\))/;

export interface GoroutineLooks {
  readonly goroutines: readonly TaskLook[];
  /** Each waits for a lock or a channel that the stack of the next refers to; null: there is no such circle. */
  readonly circle: readonly number[] | null;
  readonly problems: readonly string[];
}

const runtimes = new Map<string, Promise<GoRuntime | null>>();

/** What the goroutines of a running program wait for; null: it is none of Go whose goroutines can be found. */
export async function lookAtGoroutines(
  snapshot: Snapshot,
  facts: Pick<StackFacts, 'image' | 'projectRoot'>,
  services: StackParts,
): Promise<GoroutineLooks | null> {
  const { image, projectRoot } = facts;
  const known = runtimes.get(image) ?? goRuntimeOf(image).catch(() => null);
  runtimes.set(image, known);
  const runtime = await known;
  if (runtime === null) return null;
  const base = snapshot.mappings.find(({ path }) => path === image)?.start ?? 0n;
  const { goroutines, more } = goroutinesOf(snapshot.pid, runtime, Number(base));
  const groups = new Map<string, SeenGoroutine[]>();
  for (const one of goroutines) {
    const key = `${one.waitsFor ?? ''} ${one.place}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const shown = [...groups.values()]
    .toSorted((a, b) => (a[0]?.number ?? 0) - (b[0]?.number ?? 0))
    .slice(0, MOST_PLACES);
  const problems = more > 0 ? [`${more} more goroutines were not looked at.`] : [];
  if (groups.size > shown.length)
    problems.push(
      `Goroutines stand at ${groups.size} places, of which ${shown.length} are described.`,
    );
  let stacks: readonly (readonly StackFrame[])[] = [];
  try {
    stacks = await within(
      STACKS_LIMIT_MS,
      stacksOf(shown, snapshot, { image, projectRoot }, services),
      () => new StrobeError('TIMED_OUT', 'Symbols are still being read.'),
    );
  } catch {
    problems.push('Symbols are still being read: ask again for the stacks of goroutines.');
  }
  const circle = circleOf(goroutines);
  const isInCircle = (group: readonly SeenGoroutine[]): boolean =>
    group.some(({ number }) => circle?.includes(number) === true);
  const looks = shown.flatMap((group, i) => {
    const look = lookOf(group, stacks[i] ?? []);
    return look === null ? [] : [{ look, rank: isInCircle(group) ? 0 : 1 }];
  });
  return {
    goroutines: looks.toSorted((a, b) => a.rank - b.rank).map(({ look }) => look),
    circle,
    problems,
  };
}

/** Null: it is the runtime's own. */
function lookOf(group: readonly SeenGoroutine[], frames: readonly StackFrame[]): TaskLook | null {
  const named = frames.filter((frame) => frame.function !== null);
  if (named.length > 0 && named.every((frame) => frame.function?.startsWith('runtime.')))
    return null;
  const numbers = group.map(({ number }) => number);
  const more = numbers.length - NUMBERS_SHOWN;
  const list = `${numbers.slice(0, NUMBERS_SHOWN).join(', ')}${more > 0 ? ', …' : ''}`;
  const [first] = group;
  const objects = new Set(group.map(({ object }) => object));
  const object = objects.size === 1 && first?.object ? ` at 0x${objectOf(first).toString(16)}` : '';
  return {
    kind: 'goroutine',
    name: numbers.length === 1 ? list : `${numbers.length} alike (${list})`,
    waitsFor: first === undefined || first.waitsFor === null ? null : `${first.waitsFor}${object}`,
    // What parks it is Go's own.
    frames: named.filter((frame) => frame.function?.startsWith('runtime.') !== true),
  };
}

/** Where the lock is, or the channel. */
function objectOf({ waitsFor, object }: SeenGoroutine): number {
  return (object ?? 0) - (semaphoreAt[waitsFor ?? ''] ?? 0);
}

async function stacksOf(
  groups: readonly (readonly SeenGoroutine[])[],
  snapshot: Snapshot,
  { image, projectRoot }: Pick<StackFacts, 'image' | 'projectRoot'>,
  { symbols, enginePath }: StackParts,
): Promise<readonly (readonly StackFrame[])[]> {
  const { registers } = processorOf(snapshot.processor);
  const standing = groups.flatMap(([first], i) =>
    first?.stands ? [{ i, stack: first.stack, ...first.stands }] : [],
  );
  const report = await symbols.explain(
    {
      ...snapshot,
      threads: standing.map(({ i, pc, sp, bp }) => ({
        tid: i,
        name: '',
        isOurs: false,
        vectors: null,
        systemCall: null,
        registers: registers.map((_name, at) => {
          if (at === registers.length - 1) return BigInt(pc);
          if (at === STACK) return BigInt(sp);
          return at === FRAME ? BigInt(bp) : null;
        }),
      })),
      memory: standing.map(({ sp, stack }) => ({ address: BigInt(sp), bytes: stack })),
    },
    { own: ownUnits(new Set([image]), image, projectRoot), hidden: [enginePath] },
  );
  const byGroup = new Map(report.threads.map(({ tid, frames }) => [tid, frames]));
  return groups.map((_group, i) => byGroup.get(i) ?? []);
}

/**
 * Go does not keep who holds a lock, or who will use a channel. Of goroutines that wait for these, one may be who another
 * waits for when its stack refers to what that waits for: the shortest way round of these. A channel that another
 * goroutine may use, which waits for something else or runs, is in no circle.
 */
function circleOf(goroutines: readonly SeenGoroutine[]): number[] | null {
  const free = goroutines.filter(({ waitsFor }) => !idle.test(waitsFor ?? ''));
  const isShut = (one: SeenGoroutine): boolean =>
    free.every((other) => other.stands !== null && !refersTo(other, one));
  const waiting = goroutines.filter(({ object }) => object !== null);
  const forLocks = waiting.filter(({ waitsFor }) => locks.test(waitsFor ?? ''));
  const forChannels = waiting.filter(({ waitsFor }) => channels.test(waitsFor ?? ''));
  // Who refers to a lock and waits for a channel need not hold the lock.
  return wayRound(forLocks) ?? wayRound([...forLocks, ...forChannels.filter(isShut)]);
}

/** The shortest way from one to the next that it may wait for, and back to itself. */
function wayRound(waiting: readonly SeenGoroutine[]): number[] | null {
  const next = new Map(
    waiting.map((one) => [
      one.number,
      waiting
        .filter((other) => other.object !== one.object && refersTo(other, one))
        .map(({ number }) => number),
    ]),
  );
  for (const start of next.keys()) {
    const ways = [[start]];
    const seen = new Set<number>();
    for (let way = ways.shift(); way !== undefined; way = ways.shift())
      for (const number of next.get(way.at(-1) ?? 0) ?? []) {
        if (number === start) return way;
        if (seen.has(number)) continue;
        seen.add(number);
        ways.push([...way, number]);
      }
  }
  return null;
}

/** Whether a word of its stack is the address of what another waits for. */
function refersTo({ stack }: SeenGoroutine, other: SeenGoroutine): boolean {
  const lock = BigInt(objectOf(other));
  for (let at = 0; at + 8 <= stack.length; at += 8)
    if (stack.readBigUInt64LE(at) === lock) return true;
  return false;
}
