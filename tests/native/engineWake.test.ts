import { dirname } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ClockMap } from '../../src/collector/rings/clockMap.ts';
import { FamilyFile } from '../../src/collector/rings/familyFile.ts';
import { PayloadPlans } from '../../src/collector/rings/payloadPlan.ts';
import { RingFile } from '../../src/collector/rings/ringFile.ts';
import type { RingSink } from '../../src/collector/rings/ringSink.ts';
import { WakeCalls } from '../../src/collector/rings/wakeCalls.ts';
import { EngineProgram } from '../support/engineProgram.ts';
import { buildTarget } from '../support/targets.ts';

let silence = '';
beforeAll(() => {
  silence = buildTarget('engine/silence.c', ['-O1', '-pthread']);
});

/** Counts what a reader of the ring takes. */
class Reader {
  readonly file: RingFile;
  readonly family: FamilyFile;
  readonly #clock = new ClockMap(0n);
  readonly #calls = new WakeCalls();
  events = 0;

  constructor(path: string) {
    this.file = new RingFile(path);
    this.family = new FamilyFile(dirname(path));
    this.#clock.add(this.file.anchor);
  }

  poll(): boolean {
    const nothing = (): void => undefined;
    const sink: RingSink = {
      overwritten: nothing,
      torn: nothing,
      threadEnded: nothing,
      partRead: nothing,
      counted: nothing,
      defined: nothing,
      definitionsUnread: nothing,
      undefinedFunction: nothing,
      events: (_thread, columns) => (this.events += columns.count),
    };
    return this.file.poll(this.#clock, new PayloadPlans(), sink);
  }

  /** Goes to sleep; the promise resolves when it was woken, and only then. */
  sleep(): Promise<void> {
    return new Promise((resolve, reject) => {
      const woken = (): void => {
        this.#calls.wake();
        resolve();
      };
      if (!this.#calls.sleep([this.file, this.family], woken))
        reject(new Error('nobody would wake it'));
    });
  }

  [Symbol.dispose](): void {
    this.#calls.wake();
    this.file.close();
    this.family.close();
  }
}

const firstRecords: readonly (readonly [what: string, line: string, before: string])[] = [
  ['an entry', 'step', ''],
  ['the end of a call that began before', 'go on', 'wait'],
  ['the first call of a new thread', 'thread', ''],
  ['the first call of a forked child', 'fork', ''],
];

it.for(firstRecords)(
  '[session.quiet] %s wakes a reader that sleeps',
  { timeout: 60_000 },
  async ([, line, before]) => {
    await using traced = await EngineProgram.start(silence);
    expect(await traced.arm({ step: {}, waits: {} })).toEqual({ step: 'hooked', waits: 'hooked' });
    using reader = new Reader(traced.ringPath);
    // A slot of its own, so that the fast path is what wakes.
    const first = traced.said();
    traced.write('step\n');
    await first;
    if (before !== '') traced.write(`${before}\n`);
    await expect.poll(() => (reader.poll(), reader.events)).toBe(before === '' ? 2 : 3);
    const woken = reader.sleep();
    expect(reader.poll()).toBe(false);
    const done = traced.said();
    traced.write(`${line}\n`);
    await Promise.all([woken, done]);
    if (line !== 'fork') expect(reader.poll()).toBe(true);
    else expect(reader.family.rings).toBe(1);
    expect((await traced.end()).code).toBe(0);
  },
);
