import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { IndexLoop } from '../../../src/daemon/indexing/indexLoop.ts';
import type { IndexWorkerOptions } from '../../../src/daemon/indexing/indexMessages.ts';
import type { Counters } from '../../../src/model/loss.ts';
import type { Value } from '../../../src/model/questions/query.ts';
import { play, ringPath } from '../../support/scenes.ts';
import { TemporaryFolder } from '../db/randomSession.ts';
import { allEvents } from '../../support/questions.ts';

/** `outer("x", 3) = 4 returned`, of each call that the store has, in the order of their beginnings. */
function storedCalls(path: string): string[] {
  using reader = SessionReader.open(path);
  const calls = reader
    .events(allEvents)
    .events.flatMap((event) => ('call' in event ? [event.call] : []));
  return calls.map(({ function: name, end, strand, ...call }) => {
    const values = call.arguments.map(({ value }) => shown(value)).join(', ');
    const above = calls.find(({ id }) => id === call.parent)?.function ?? 'none';
    return `${name}(${values}) = ${shown(call.exception ?? call.returns)} ${end} in ${above} of ${strand?.name ?? 'none'}`;
  });
}

function shown(value: Value): string {
  if (value.kind === 'int') return value.text;
  return value.kind === 'string' ? JSON.stringify(value.text) : value.kind;
}

function optionsIn(folder: TemporaryFolder): IndexWorkerOptions {
  const outputLog = folder.file('output.log');
  writeFileSync(outputLog, '');
  return {
    sessionId: 's',
    storePath: folder.file('session.db'),
    outputLog,
    startNs: '0',
    maxEvents: 10_000_000,
    maxOutputBytes: 1000,
    secretNames: [],
    terminal: false,
    continues: false,
  };
}

function start(options: IndexWorkerOptions): IndexLoop {
  return IndexLoop.start(options, (message) => {
    if (message.type === 'fault') throw new Error(message.message);
  });
}

/** Reads all to the end of all processes. */
function finish(loop: IndexLoop): Counters {
  const answer = loop.answer({ type: 'settle', request: 4, final: true });
  loop.close();
  if (answer.type !== 'answer' || !answer.settled) throw new Error('nothing was settled');
  return answer.settled.summary.counters;
}

test.each(['in one go', 'by two daemons'])(
  '[runtimes.continued] calls of functions that appeared at run time are stored with names and values, %s',
  (how) => {
    using folder = new TemporaryFolder();
    const options = optionsIn(folder);
    // The clocks of two processes are what times are made of.
    const first = ringPath();
    const [again, forks] = [`${first}.again.ring`, `${first}.forks.ring`];
    for (const ring of [first, again]) play(ring, 'kinds');
    let loop = start(options);
    for (const path of [first, again, again]) loop.answer({ type: 'ring', request: 1, path });
    if (how === 'by two daemons') {
      loop.answer({ type: 'settle', request: 2, final: false });
      loop.close();
      loop = start({ ...options, continues: true });
    }
    play(forks, 'forks');
    loop.answer({ type: 'ring', request: 1, path: forks });
    const counters = finish(loop);
    const calls = storedCalls(options.storePath);
    const outer = 'outer("a text of twenty-four..", -3) = "settled" returned in none of first task';
    const steps = 'Maker.steps() = "raised" unwound in outer of first task';
    expect(calls.filter((call) => call.endsWith('task'))).toEqual([outer, steps, outer, steps]);
    const byProcess = calls
      .filter((call) => call.endsWith('of none'))
      .map((call) => call.replace(/\(\d+\) = 0 returned in none of none$/, ''));
    expect(byProcess.toSorted((a, b) => a.localeCompare(b))).toEqual([
      'alike',
      'alike',
      'of_child',
      'of_child',
      'of_child_later',
      'of_grandchild',
      'of_parent',
      'shared',
      'shared',
      'shared',
    ]);
    expect(counters).toMatchObject({ lost: 0, byCause: {} });
  },
);

test('[runtimes.sampling] all events of functions that are sampled are accounted for, and exceptions in all their calls kept', () => {
  using folder = new TemporaryFolder();
  const options = optionsIn(folder);
  const [kinds, hot] = [ringPath(), ringPath()];
  play(kinds, 'kinds');
  const { entered = 0, taken = 0, exceptions = 0 } = play(hot, 'hot');
  const loop = start(options);
  for (const path of [kinds, hot]) loop.answer({ type: 'ring', request: 1, path });
  const { seen, stored, lost, sampled } = finish(loop);
  expect(lost).toBe(0);
  expect(seen).toBe(stored + sampled);
  expect(sampled).toBe(2 * (entered - taken));
  expect(stored).toBeGreaterThan(2 * taken + exceptions);
});
