import { dirname } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callsOf, type SeenCall } from '../../support/calls.ts';
import { OwnDaemon } from '../../support/ownDaemon.ts';
import { pythons } from '../../support/pythons.ts';
import { at, listAt, numberAt, textAt } from '../../support/read.ts';
import { targetSource } from '../../support/targets.ts';

const tried = pythons.filter(({ minor, isSystem }) => isSystem || minor === 9 || minor >= 12);

async function callsIn(
  path: string,
  script: string,
  patterns: readonly string[],
  args: readonly string[] = [],
): Promise<SeenCall[]> {
  const { daemon, sessionId } = await run(path, script, patterns, args);
  const { structured } = await daemon.ok('debug_session', { action: 'status', sessionId });
  expect(numberAt(structured, 'session', 'exit', 'code')).toBe(0);
  return await callsOf(daemon, sessionId);
}

/** Runs a program to its end. */
async function run(
  path: string,
  script: string,
  patterns: readonly string[],
  args: readonly string[] = [],
): Promise<{ readonly daemon: OwnDaemon; readonly sessionId: string }> {
  const daemon = await OwnDaemon.start([]);
  onTestFinished(async () => daemon.close());
  const source = targetSource(`python/${script}`);
  const launched = await daemon.ok('debug_launch', {
    command: path,
    args: [source, ...args],
    projectRoot: dirname(source),
    patterns,
  });
  const sessionId = textAt(launched.structured, 'sessionId');
  await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 40_000 });
  return { daemon, sessionId };
}

describe.each(tried.map(({ name, path }) => [name, path] as const))('Python %s', (_name, path) => {
  test('[python.values] values are read from memory, and no code of a hostile class runs', async () => {
    const calls = await callsIn(path, 'shapes.py', ['take', 'take_hostile', 'counting']);
    const seen = calls.map(({ arguments: given }) => JSON.stringify(given['value']));
    expect(seen.slice(0, 8)).toEqual([
      'null',
      'true',
      '-5',
      '"1000000000000000000000000000000"',
      '1.5',
      '"naïve"',
      '"日本"',
      '"ab"',
    ]);
    const texts = calls.map((call) => JSON.stringify(call)).join('\n');
    for (const shown of ['Color.RED', 'Level.HIGH', 'Decimal', '-12.50', '2020-01-02 03:04:05'])
      expect(texts).toContain(shown);
    for (const shown of ['1 day, 0:00:05', '/a/b', 'ValueError', '<function len>', 'circular'])
      expect(texts).toContain(shown);
    const hostile = calls.find((call) => call.function === 'shapes.take_hostile');
    expect(JSON.stringify(hostile?.arguments)).toContain('"kept":7');
    expect(hostile?.returns).toBe(1);
    expect(calls.filter((call) => call.function === 'shapes.counting')).toHaveLength(1);
  });

  test('[python.made] functions that a program makes from texts are recorded where a pattern names them', async () => {
    const calls = await callsIn(path, 'made.py', ['subtract', 'measure', '__init__']);
    const seen = calls.map((call) => [call.function.replace(/^.*\./, ''), call.returns]);
    expect(seen).toEqual([
      ['subtract', 7],
      ['subtract', 6],
      ['measure', 8],
      ['__init__', null],
    ]);
    expect(calls[0]?.arguments).toEqual({ a: 9, b: 2 });
  });

  test('[python.exceptions] shows the exception that leaves a call, raised by Python or by C', async () => {
    const calls = await callsIn(path, 'failing.py', ['@usercode']);
    const ends = calls.map((call) => [call.function, call.end]);
    expect(ends).toEqual([
      ['failing.refuse', 'unwound'],
      ['failing.outer', 'returned'],
      ['failing.parse', 'unwound'],
      ['failing.steps', 'unwound'],
      ['failing.both', 'returned'],
      ['failing.fetch', 'returned'],
      ['failing.fetch', 'returned'],
    ]);
  });

  test('[python.uncaught] shows where an uncaught exception was raised', async () => {
    const { daemon, sessionId } = await run(path, 'uncaught.py', ['deep']);
    const asked = { sessionId, view: 'events', eventType: ['exception'] };
    const events = await daemon.ok('debug_query', asked);
    expect(events.text).toContain('KeyError "missing" raised in deep (uncaught.py:6)');
    expect(events.text).toContain('not caught');
    const crash = await daemon.ok('debug_query', { sessionId, view: 'crash' });
    expect(crash.text).toContain("KeyError: 'missing'  uncaught.py:6");
    expect(crash.text).toContain('unwound by KeyError');
  });

  test('[python.uncaught] an exception of a task that nothing awaits is an event', async () => {
    const { daemon, sessionId } = await run(path, 'forgotten.py', ['fail']);
    const { text } = await daemon.ok('debug_query', {
      sessionId,
      view: 'events',
      eventType: ['exception'],
    });
    expect(text).toContain(
      'ValueError "no price for 7" raised in fail (forgotten.py:8), not caught: the event loop reported it',
    );
  });

  test.each([['main'], ['thread']])(
    '[python.story] an uncaught exception of a %s shows its frames with locals, its causes and the calls before',
    async (where) => {
      const { daemon, sessionId } = await run(path, 'story.py', ['@usercode'], [where]);
      const { text } = await daemon.ok('debug_query', { sessionId, view: 'crash', budget: 3000 });
      expect(text).toMatch(
        /uncaught AttributeError: .* of thread \d+, newest frame first:\n {2}#0 report\(order=Order\{.*number=7/,
      );
      expect(text).toMatch(/it was raised while handling RuntimeError: order 7 has no total:/);
      expect(text).toMatch(
        /it was raised from ValueError: .*:\n {2}#0 price\(line=\{"price": "x"\}\)/,
      );
      expect(text).toMatch(/total\(order=.*\n.*prices=\[3\]/);
      expect(text).toMatch(
        /last of [56] traced calls[^]*story\.total\(order=.*unwound by ValueError/,
      );
      expect(text).not.toContain('hunter2');
    },
  );

  test.each(['fork', 'spawn', 'forkserver'])(
    '[python.children] calls of processes by %s are on the same timeline',
    async (method) => {
      const calls = await callsIn(path, 'pool.py', ['square'], [method]);
      expect(calls.map((call) => String(call.returns)).toSorted()).toEqual(['0', '1', '4', '9']);
    },
  );

  test('[python.tasks] calls carry the task they run in, and awaiting is apart from running', async () => {
    const calls = await callsIn(path, 'tasks.py', ['@usercode']);
    const seen = calls.map(({ function: name, strand }) => [name.replace('tasks.', ''), strand]);
    const steps = seen.filter(([name]) => name === 'step').map(([, strand]) => strand);
    expect(steps).toEqual(['task first', 'task second', 'task first', 'task second']);
    const walks = seen.filter(([name]) => name === 'walk').map(([, strand]) => strand);
    expect(walks).toEqual(['task first', 'task second']);
  });

  test('[python.watches] variables of functions outside, of modules, of classes and in containers are watched', async () => {
    const daemon = await OwnDaemon.start([]);
    onTestFinished(async () => daemon.close());
    const source = targetSource('python/closures.py');
    const projectRoot = dirname(source);
    const names = ['count', 'seen["last"]', 'settings.total', 'Rate.limit'];
    const watches = { add: names.map((expr) => ({ expr, on: 'step' })) };
    await daemon.ok('debug_trace', { pending: true, projectRoot, watches });
    const launched = await daemon.ok('debug_launch', {
      command: path,
      args: [source],
      projectRoot,
      patterns: ['step'],
    });
    const sessionId = textAt(launched.structured, 'sessionId');
    await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 40_000 });
    const { structured } = await daemon.ok('debug_query', { view: 'changes', sessionId });
    const changes = listAt(structured, 'changes').map((change) =>
      ['watch', 'old', 'new'].map((field) => at(change, field)),
    );
    const of = (watch: string): unknown[] =>
      changes.filter(([name]) => name === watch).map(([, old, now]) => [old, now]);
    expect(of('count')).toEqual([
      [0, 2],
      [2, 7],
    ]);
    expect(of('seen["last"]')).toEqual([
      [null, 2],
      [2, 5],
    ]);
    expect(of('settings.total')).toEqual([
      [0, 2],
      [2, 7],
    ]);
    expect(of('Rate.limit')).toEqual([
      [3, 2],
      [2, 1],
    ]);
  });
});
