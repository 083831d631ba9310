import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { startOwned } from '../../src/base/process.ts';
import { readEntries } from '../../src/collector/rings/definitionEntries.ts';
import { definitions } from '../../src/protocol/definitions.ts';
import { symbolsOf } from '../support/engineProgram.ts';
import { itNeeds } from '../support/needs.ts';
import { play, ringPath, sceneArguments, scenes, told } from '../support/scenes.ts';
import { SmallDisk } from '../support/smallDisk.ts';
import { ToldRings } from '../support/toldRings.ts';

function grouped<Item>(items: readonly Item[], by: (item: Item) => number): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const item of items) groups.set(by(item), [...(groups.get(by(item)) ?? []), item]);
  return groups;
}

test('[runtimes.events] every kind of event of a function that appeared at run time is read with its values', () => {
  const ring = ringPath();
  play(ring, 'kinds');
  const { events, functions, definitions: byRing, lost } = told(ring);
  const activation = 2 ** 53 - 2;
  const seen = events.map(({ kind, fn, sp, values }) => [kind, fn, sp, ...values]);
  expect(seen).toEqual([
    ['context', '0', 1, '1'],
    ['enter', 'outer', 1, '"a text of twenty-four.."', '-3'],
    ['enter', 'Maker.steps', activation],
    ['suspend', 'Maker.steps', activation, '"yielded"'],
    ['resume', 'Maker.steps', activation, '"sent"'],
    ['suspend', 'Maker.steps', activation, '"yielded again"'],
    ['throwIn', 'Maker.steps', activation, '"thrown"'],
    ['handled', 'Maker.steps', activation, '"thrown"', 'line 9'],
    ['raise', 'Maker.steps', activation, '"raised"', 'line 10'],
    ['unwound', 'Maker.steps', activation, '"raised"'],
    ['suspend', 'outer', 1, '<Promise 6>'],
    ['return', 'outer', 1, '"settled"'],
    ['context', '0', 0, '0'],
  ]);
  expect([...functions.values()]).toEqual([
    {
      kind: 'function',
      number: 65536,
      language: 'other',
      qualifiedName: 'outer',
      file: '/toy/kinds.toy',
      line: 3,
      column: 1,
      offset: 30,
      flags: 0,
      parameters: ['a', 'b'],
    },
    {
      kind: 'function',
      number: 65537,
      language: 'other',
      qualifiedName: 'Maker.steps',
      file: '/toy/kinds.toy',
      line: 7,
      column: 1,
      offset: 70,
      flags: 1,
      parameters: [],
    },
  ]);
  expect(byRing.get(ring)).toEqual([
    { kind: 'file', number: 1, language: 'other', path: '/toy/kinds.toy', digest: '' },
    { kind: 'strand', number: 1, language: 'other', strand: { kind: 'task', name: 'first task' } },
    { kind: 'type', number: 1, language: 'other', name: 'Point', module: 'shapes', flags: 1 },
    { kind: 'name', number: 1, language: 'other', name: 'x' },
    { kind: 'type', number: 2, language: 'javascript', name: 'Promise', module: '', flags: 0 },
    ...functions.values(),
  ]);
  expect(lost).toEqual({});
});

test('[runtimes.events] an activation that goes from thread to thread is told by the thread it is on', () => {
  const ring = ringPath();
  play(ring, 'threads');
  const { events, functions, lost } = told(ring);
  const [threads, rounds] = [4, 500];
  for (let thread = 0; thread < threads; thread++) {
    const own = events.filter(({ fn }) => fn === `work${thread}`);
    expect(own.map(({ kind, values }) => `${kind} ${values.join()}`)).toEqual(
      Array.from({ length: rounds }, (_, round) => [`enter ${round}`, `return ${round}`]).flat(),
    );
  }
  const passed = events.filter(({ fn }) => fn === 'passed_on');
  const byThread = grouped(passed, ({ tid }) => tid);
  const kinds = [...byThread.values()].map((all) =>
    [...new Set(all.map(({ kind, values }) => `${kind} ${values.length}`))].join(),
  );
  const between = 'resume 1,suspend 1';
  expect(kinds.toSorted()).toEqual(['enter 0,suspend 1', 'resume 1,return 1', between, between]);
  expect(passed).toHaveLength(rounds * 2 * threads);
  expect(functions.size).toBe(threads + 1);
  expect(lost).toEqual({});
});

test('[runtimes.fork] a forked child defines other functions under the numbers that its parent does', () => {
  const ring = ringPath();
  const said = play(ring, 'forks');
  expect(said).toEqual({ of_grandchild: 65538, of_child: 65537, of_parent: 65537 });
  const rings = told(ring);
  const byProcess = [...grouped(rings.events, ({ pid }) => pid).values()].map((events) =>
    events.map(({ kind, fn, sp }) => `${kind} ${fn} ${sp}`),
  );
  const calls = (...called: readonly string[]): string[] =>
    called.flatMap((call) => [`enter ${call}`, `return ${call}`]);
  expect(byProcess.toSorted((a, b) => a.join().localeCompare(b.join()))).toEqual([
    calls('shared 1', 'of_parent 9', 'alike 10'),
    calls('shared 2', 'of_child 3', 'of_child_later 7', 'alike 8'),
    calls('shared 4', 'of_child 5', 'of_grandchild 6'),
  ]);
  // What two processes define alike is one function of the session.
  expect(rings.names.toSorted()).toEqual(
    ['alike', 'of_child', 'of_child_later', 'of_grandchild', 'of_parent', 'shared'].toSorted(),
  );
  expect(new Set([...rings.functions.values()].map(({ file }) => file))).toEqual(
    new Set(['/toy/shared.toy', '/toy/late.toy']),
  );
  expect(rings.lost).toEqual({});
});

test('[runtimes.fork] what processes left goes with their rings, and their children are still understood', () => {
  const ring = ringPath();
  play(ring, 'forks');
  const rings = told(ring);
  expect(rings.definitions.size).toBe(3);
  rings.publish();
  const left = [...rings.definitions.keys()].filter((path) => existsSync(`${path}.defs`));
  expect(left).toEqual([]);
});

test.each(['at first', 'in the middle'])(
  '[runtimes.continued] the next reader goes on with the definitions, %s',
  (when) => {
    const ring = ringPath();
    play(ring, 'forks');
    const whole = told(ring);
    const rings = new ToldRings(ring);
    onTestFinished(() => rings.close());
    if (when === 'in the middle') rings.poll();
    rings.handOver();
    rings.poll(true);
    rings.handOver();
    rings.poll(true);
    expect(rings.events).toEqual(whole.events);
    expect(rings.names.toSorted()).toEqual(whole.names.toSorted());
    expect(rings.lost).toEqual({});
  },
);

test('[runtimes.many] the 65,537th function of a runtime is called by its name as all others are', () => {
  const ring = ringPath();
  const { first, last } = play(ring, 'many', '70000');
  expect({ first, last }).toEqual({ first: 65_536, last: 135_535 });
  const rings = told(ring);
  expect(rings.functions.size).toBe(70_000);
  const entered = rings.events.filter(({ kind }) => kind === 'enter');
  expect(entered.map(({ fn }) => fn)).toEqual(
    [...Array.from({ length: 70 }, (_, at) => at * 1000), 69_999].map((at) => `f${at}`),
  );
  expect(rings.lost).toEqual({});
});

test('[runtimes.sampling] of functions called very often, what is recorded and what is counted make all calls', () => {
  const ring = ringPath();
  const { entered = 0, taken, exceptions } = play(ring, 'hot');
  const { events, counted, lost } = told(ring);
  const count = (kind: string, of?: string): number =>
    events.filter(({ kind: seen, fn }) => seen === kind && (of === undefined || fn === of)).length;
  const rare = 10;
  expect(count('enter')).toBe((taken ?? 0) + rare);
  expect(count('enter', 'rare')).toBe(rare);
  expect(count('raise')).toBe(exceptions);
  for (const name of ['busy', 'waiting']) {
    const { calls = 0, timed } = counted.get(name) ?? {};
    expect(calls + count('enter', name)).toBe(entered / 2);
    expect(timed).toBe(calls);
    expect(calls).toBeGreaterThan(entered / 4);
    expect(count('return', name)).toBe(count('enter', name));
  }
  expect(count('suspend')).toBe(count('enter', 'waiting'));
  expect(count('resume')).toBe(count('enter', 'waiting'));
  expect(lost).toEqual({});
});

test('[runtimes.sampling] a runtime says which share of the calls is recorded, or which calls; the others are counted', () => {
  const ring = ringPath();
  play(ring, 'shares');
  const { events, counted, lost } = told(ring);
  const count = (kind: string, of: string): number =>
    events.filter((event) => event.kind === kind && event.fn === of).length;
  const ends = [count('return', 'tenth'), count('unwound', 'chosen'), count('return', 'whole')];
  expect(ends).toEqual([2_000, 15_000, 20_000]);
  expect(['tenth', 'chosen', 'whole'].map((name) => count('enter', name))).toEqual(ends);
  expect(Object.fromEntries(counted)).toEqual({
    tenth: { calls: 18_000, timed: 18_000 },
    chosen: { calls: 5_000, timed: 5_000 },
  });
  expect(lost).toEqual({});
});

test('[runtimes.undefined] records of a function without a definition are a loss of their own', () => {
  const ring = ringPath();
  play(ring, 'undefined');
  const { events, lost } = told(ring);
  expect(events.map(({ fn }) => fn)).toEqual(Array(4).fill('known'));
  expect(lost).toEqual({ undefinedFunction: 2 });
});

test('[runtimes.killed] of a process that is killed while it defines, all that was whole is read', async () => {
  const ring = ringPath();
  const child = spawn(scenes, sceneArguments(ring, 'defining'), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
  const { events, functions, lost } = told(ring);
  expect(functions.size).toBeGreaterThan(20);
  const torn = lost['definitionsUnread'] ?? 0;
  expect(torn).toBeLessThanOrEqual(1);
  expect(events.filter(({ kind }) => kind === 'enter').length).toBeGreaterThan(20);
  expect(lost['undefinedFunction']).toBeUndefined();
});

test('[runtimes.killed] a definition that is cut off is waited for, and told when the process has ended', () => {
  const written = ringPath();
  play(written, 'kinds');
  // A ring of a process that runs: this one.
  const ring = join(dirname(written), `${process.pid}.ring`);
  renameSync(written, ring);
  const file = `${ring}.defs`;
  renameSync(`${written}.defs`, file);
  const bytes = readFileSync(file);
  const { entries } = readEntries(bytes.subarray(definitions.headBytes));
  expect(entries).toHaveLength(7);
  truncateSync(file, bytes.length - 8);
  const rings = new ToldRings(ring);
  onTestFinished(() => rings.close());
  rings.poll();
  expect(rings.lost).toEqual({ undefinedFunction: 8 });
  expect(rings.names).toEqual(['outer']);
  rings.poll(true).poll(true);
  expect(rings.lost).toEqual({ undefinedFunction: 8, definitionsUnread: 1 });
});

test('[runtimes.limited] a definition that cannot be written has no number, and the program goes on', () => {
  const ring = ringPath();
  const { before, refused = 0 } = play(ring, 'limited');
  expect(before).toBe(1);
  expect(refused).toBeGreaterThan(100);
  const rings = told(ring);
  expect(rings.definitions.get(ring)).toHaveLength(1001 - refused);
  expect(rings.lost).toEqual({});
});

test('[runtimes.mixed] native functions and those of a runtime that call each other are in one ring, in their order', () => {
  const ring = ringPath();
  const sizes = ['native_leaf', 'native_call'].map((name) => symbolsOf(scenes).get(name)?.size);
  const said = play(ring, 'mixed', ...sizes.map(String));
  const call = (name: string, ...inside: readonly string[]): string[] => [
    `enter ${name}`,
    ...inside,
    `return ${name}`,
  ];
  const leaf = call('0');
  const outer = (n: number): string[] =>
    call(
      'outer',
      ...call('1', ...leaf, ...call('back', ...(n > 0 ? outer(n - 1) : leaf)), ...leaf),
    );
  const goesOn = ['resume steps', ...leaf, 'suspend steps'];
  const { events, lost } = told(ring);
  expect(events.map(({ kind, fn }) => `${kind} ${fn}`)).toEqual([
    ...outer(2),
    'enter steps',
    ...leaf,
    'suspend steps',
    ...call('1', ...leaf, ...goesOn, ...leaf),
  ]);
  expect(said).toEqual({ native_leaf: 0, native_call: 1, sum: 18 });
  expect(lost).toEqual({});
});

itNeeds(
  'mounts',
  '[runtimes.limited] on a full disk nothing is defined, and again once there is room',
  async () => {
    await using disk = new SmallDisk(32);
    const ring = join(disk.path, 'ring');
    await using child = await startOwned({
      command: scenes,
      args: sceneArguments(ring, 'full_disk'),
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const said = async (): Promise<unknown> => (await lines.next()).value;
    expect(await said()).toBe('ready 1');
    disk.fill();
    child.stdin.write('full\n');
    const [, refused] = String(await said()).split('refused ');
    expect(Number(refused)).toBeGreaterThan(90);
    disk.empty();
    child.stdin.write('room\n');
    const names = 102 - Number(refused);
    expect(await said()).toBe(`defined ${names}`);
    await child.ended;
    // The disk goes before the test has ended.
    const rings = new ToldRings(ring).poll(true);
    rings.close();
    expect(rings.names).toEqual(['before', 'after']);
    expect(rings.definitions.get(ring)).toHaveLength(2 + names);
    expect(rings.events.map(({ fn }) => fn)).toEqual(['before', 'before', 'after', 'after']);
    expect(rings.lost).toEqual({});
  },
);
