import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { enlarged } from '../support/enlarged.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen, runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('tracing', () => {
  const { home, client } = withClient();

  /** Waits until so many functions are hooked: asks again and again, at most for a while. */
  async function hooksInPlace(sessionId: string, wanted: number): Promise<void> {
    for (let round = 0; round < 200; round++) {
      const status = await client.ok('debug_session', { action: 'status', sessionId });
      if (numberAt(status.structured, 'hooks', 'hookedFunctions') === wanted) return;
    }
    throw new Error(`${wanted} functions were never hooked`);
  }

  test('[trace.running] patterns are added to and removed from a running program', async () => {
    const { sessionId, structured } = await launch(client, home, buildTarget('e2e/ticker.cpp'));
    expect(numberAt(structured, 'hooks', 'hookedFunctions')).toBe(0);
    const added = await client.ok('debug_trace', { sessionId, add: ['clockwork::tick'] });
    expect(numberAt(added.structured, 'hookedFunctions')).toBe(1);
    expect(at(added.structured, 'mode')).toBe('runtime');
    const waited = await client.ok('debug_session', { action: 'wait', sessionId, for: ['event'] });
    expect(at(waited.structured, 'happened')).toBe('event');
    const calls = await callsOf(client, sessionId, { limit: 20 });
    expect(new Set(calls.map((call) => call.function))).toEqual(new Set(['clockwork::tick']));
    for (const call of calls) {
      expect(call.arguments['even']).toBe(Number(call.arguments['round']) % 2 === 0);
    }

    const both = await client.ok('debug_trace', {
      sessionId,
      add: ['clockwork::tock'],
      remove: ['clockwork::tick'],
    });
    expect(listAt(both.structured, 'activePatterns')).toMatchObject([
      { pattern: 'clockwork::tock', hooked: 1 },
    ]);
    const here = await outputSeen(client, sessionId, 'round');
    await outputSeen(client, sessionId, 'round', here.cursor);
    const before = await callsOf(client, sessionId, { function: { equals: 'clockwork::tick' } });
    const next = await outputSeen(client, sessionId, 'round');
    await outputSeen(client, sessionId, 'round', next.cursor);
    const after = await callsOf(client, sessionId, { function: { equals: 'clockwork::tick' } });
    expect(after.length).toBe(before.length);
    const tocks = await callsOf(client, sessionId, {
      function: { equals: 'clockwork::tock' },
      limit: 5,
    });
    expect(tocks.length).toBeGreaterThan(0);
    for (const call of tocks) expect(call.returns).toBe(Number(call.arguments['round']) * 0.5);

    const none = await client.ok('debug_trace', { sessionId, clear: true });
    expect(numberAt(none.structured, 'hookedFunctions')).toBe(0);
    const stopped = await client.ok('debug_session', { action: 'stop', sessionId });
    expect(at(stopped.structured, 'exit')).toEqual({ kind: 'exited', code: 0 });
  });

  test('[symbols.first] a launch that waits for a large program tells what its symbol table shows of the patterns', async () => {
    const program = enlarged(buildTarget('e2e/ticker.cpp'), home.project);
    const patterns = ['clockwork::tick', 'clockwork::tack'];
    const { sessionId, structured } = await launch(client, home, program, { patterns });
    expect(client.progress.join('\n')).toContain(
      '; in the symbol table so far: 1 of clockwork::tick (clockwork::tick)',
    );
    expect(numberAt(structured, 'hooks', 'hookedFunctions')).toBe(1);
    await client.ok('debug_session', { action: 'stop', sessionId });
  });

  test('[trace.pending] staged patterns catch the first call of main and static constructors', async () => {
    const staged = await client.ok('debug_trace', { pending: true, add: ['boot::**'] });
    expect(at(staged.structured, 'mode')).toBe('pending');
    const run = await runToEnd(client, home, buildTarget('e2e/startup.cpp'));
    expect(numberAt(run.structured, 'pendingPatternsApplied')).toBe(1);
    const calls = await callsOf(client, run.sessionId);
    const add = calls.find((call) => call.function === 'boot::Registry::add');
    expect(add).toMatchObject({ arguments: { name: 'early', slot: 41 }, returns: 42 });
    const first = calls.find((call) => call.function === 'boot::first');
    expect(first).toMatchObject({ arguments: { argc: 1 }, returns: 100 });
    const again = await runToEnd(client, home, buildTarget('e2e/startup.cpp'));
    expect(numberAt(again.structured, 'pendingPatternsApplied')).toBe(0);
  });

  test('[trace.pending] what is staged for a project waits for a launch there, and others say so', async () => {
    const here = { pending: true, projectRoot: home.project };
    const staged = await client.ok('debug_trace', { ...here, add: ['boot::first'] });
    expect(staged.text).toContain(`for your next launch in ${home.project};`);
    const program = buildTarget('e2e/startup.cpp');
    const elsewhere = await runToEnd(client, home, program, { projectRoot: dirname(program) });
    expect(numberAt(elsewhere.structured, 'pendingPatternsApplied')).toBe(0);
    expect(elsewhere.text).toContain(
      `Patterns staged for ${home.project} wait for a launch there.`,
    );
    const run = await runToEnd(client, home, program, { projectRoot: `${home.project}/` });
    expect(numberAt(run.structured, 'pendingPatternsApplied')).toBe(1);
    expect(run.text).not.toContain('What is staged');
    const refused = await client.refused('debug_trace', { projectRoot: home.project });
    expect(refused.text).toContain('needs "pending": true');
  });

  test('[trace.pending] launches at once use what is staged once, and what is staged meanwhile waits', async () => {
    await client.ok('debug_trace', { pending: true, add: ['boot::first'] });
    const program = buildTarget('e2e/startup.cpp');
    const launches = [0, 1].map(async () => runToEnd(client, home, program));
    await client.ok('debug_trace', { pending: true, add: ['boot::Registry::add'] });
    const applied = (await Promise.all(launches)).map((run) =>
      numberAt(run.structured, 'pendingPatternsApplied'),
    );
    const next = await runToEnd(client, home, program);
    const last = numberAt(next.structured, 'pendingPatternsApplied');
    expect(Math.max(...applied)).toBeGreaterThan(0);
    expect(applied.reduce((sum, one) => sum + one, last)).toBe(2);
  });

  test('[trace.pending] a launch that came to nothing leaves what is staged for the next', async () => {
    await client.ok('debug_trace', { pending: true, add: ['boot::first'] });
    await client.refused('debug_launch', { command: './none', projectRoot: home.project });
    const run = await runToEnd(client, home, buildTarget('e2e/startup.cpp'));
    expect(numberAt(run.structured, 'pendingPatternsApplied')).toBe(1);
  });

  test('[trace.verdicts] hooked, inlined into its callers, or refused with the reason', async () => {
    const run = await runToEnd(client, home, buildTarget('e2e/verdicts.cpp'), {
      patterns: ['fate::**', 'tiny'],
    });
    const rows = listAt(run.structured, 'hooks', 'activePatterns');
    const of = (pattern: string) => rows.find((row) => textAt(row, 'pattern') === pattern);
    expect(of('fate::**')).toMatchObject({ matched: 2, hooked: 2, inlined: 1, refused: 0 });
    expect(of('tiny')).toMatchObject({ matched: 1, hooked: 0, inlined: 0, refused: 1 });
    expect(run.text).toMatch(
      /inlined: fate::merged into fate::(first|second), fate::(first|second)/,
    );
    expect(listAt(run.structured, 'hooks', 'refusals')).toHaveLength(1);
    expect(textAt(run.structured, 'hooks', 'refusals', 0, 'function')).toBe('tiny');
    expect(textAt(run.structured, 'hooks', 'refusals', 0, 'reason')).toMatch(/shorter/);
    expect(run.exit).toEqual({ kind: 'exited', code: 0 });
  });

  test('[trace.parents] calls carry their parent and the tree shows it', async () => {
    const run = await runToEnd(client, home, buildTarget('e2e/throws.cpp'), {
      patterns: ['storm::**'],
    });
    const [catcher] = await callsOf(client, run.sessionId, {
      function: { equals: 'storm::catcher' },
      limit: 1,
    });
    const below = await callsOf(client, run.sessionId, { parent: catcher?.id });
    expect(below.map((call) => call.function)).toEqual(['storm::again', 'storm::deep']);
    const all = await callsOf(client, run.sessionId, { within: catcher?.id });
    expect(all).toHaveLength(2 + 2 + 20 + 2);
    const tree = await client.ok('debug_query', {
      view: 'tree',
      sessionId: run.sessionId,
      root: catcher?.id,
    });
    expect(textAt(tree.structured, 'tree')).toMatch(
      /catcher[\s\S]*again[\s\S]*middle[\s\S]*fail[\s\S]*deep/,
    );
  });

  test('[trace.threads] threads are named', async () => {
    const { sessionId } = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
      patterns: ['clockwork::tick'],
    });
    await outputSeen(client, sessionId, 'round 2');
    const slow = await callsOf(client, sessionId, {
      threadName: { equals: 'slow-wheel' },
      limit: 3,
    });
    const fast = await callsOf(client, sessionId, { threadName: { contains: 'fast' }, limit: 3 });
    expect(slow.map((call) => call.threadName)).toContain('slow-wheel');
    expect(fast.map((call) => call.threadName)).toContain('fast-wheel');
    await client.ok('debug_session', { action: 'stop', sessionId });
  });

  test('[trace.library] functions of a shared library are traced', async () => {
    const library = buildTarget('e2e/geometry.c', ['-shared', '-fPIC'], 'libgeometry.so');
    const folder = dirname(library);
    const program = buildTarget('e2e/surveyor.c', [
      `-L${folder}`,
      '-lgeometry',
      `-Wl,-rpath,${folder}`,
    ]);
    const run = await runToEnd(client, home, program, {
      patterns: [{ pattern: 'geometry_*', module: 'libgeometry*' }],
    });
    expect(await linesOf(client, run.sessionId)).toEqual([{ stream: 'stdout', text: '10.0 4' }]);
    const calls = await callsOf(client, run.sessionId);
    expect(calls).toMatchObject([
      { function: 'geometry_sides', arguments: { kind: 1 }, returns: 4 },
      { function: 'geometry_area', arguments: { width: 2.5, height: 4 }, returns: 10 },
    ]);
  });

  test('[trace.later-library] a library loaded later is pending, then hooked', async () => {
    const library = buildTarget('e2e/geometry.c', ['-shared', '-fPIC'], 'libgeometry.so');
    const { sessionId } = await launch(client, home, buildTarget('e2e/loader.c', ['-ldl']), {
      args: [library],
      stdin: 'open',
    });
    await outputSeen(client, sessionId, 'ready');
    const early = await client.call('debug_trace', {
      sessionId,
      add: [{ pattern: 'geometry_*', module: 'libgeometry*' }],
    });
    expect(early.text).toMatch(/libraries that are loaded/);
    await client.ok('debug_session', { action: 'input', sessionId, text: 'load\n' });
    await outputSeen(client, sessionId, 'first');
    await hooksInPlace(sessionId, 2);
    await client.ok('debug_session', { action: 'input', sessionId, text: 'again\n', eof: true });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
    const calls = await callsOf(client, sessionId);
    expect(calls.at(-1)).toMatchObject({
      function: 'geometry_area',
      arguments: { width: 4, height: 5 },
      returns: 20,
    });
  });

  test('[trace.later-library] what a program calls in a library before its hooks are there is said not to be seen, unless the pattern names the library', async () => {
    const library = buildTarget('e2e/geometry.c', ['-shared', '-fPIC'], 'libgeometry.so');
    const program = buildTarget('e2e/loader.c', ['-ldl']);
    const note = /libgeometry\.so was loaded while the program ran, .* A pattern with the library/;
    const notes = async (what: Readonly<Record<string, unknown>>): Promise<string> => {
      const { sessionId } = await launch(client, home, program, {
        args: [library],
        stdin: 'open',
        projectRoot: dirname(library),
        ...what,
      });
      await outputSeen(client, sessionId, 'ready');
      await client.ok('debug_session', { action: 'input', sessionId, text: 'load\n' });
      await outputSeen(client, sessionId, 'first');
      await hooksInPlace(sessionId, 1);
      await client.ok('debug_session', { action: 'input', sessionId, text: 'again\n', eof: true });
      expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
      return (await client.ok('debug_session', { action: 'status', sessionId })).text;
    };
    expect(await notes({ patterns: ['geometry_area'] })).toMatch(note);
    const named = await notes({ patterns: ['libgeometry.so!geometry_area'] });
    expect(named).not.toMatch(note);
    // A machine that is too slow for that says so.
    expect(named).toMatch(/\b2 calls|hooked only after it was in use/);
  });

  test('[trace.usercode] @usercode and @file: choose by source', async () => {
    const program = buildTarget('e2e/methods.cpp');
    const projectRoot = dirname(new URL('../targets/e2e/methods.cpp', import.meta.url).pathname);
    for (const pattern of ['@usercode', '@file:methods.cpp']) {
      const run = await runToEnd(client, home, program, { patterns: [pattern], projectRoot });
      const names = new Set((await callsOf(client, run.sessionId)).map((call) => call.function));
      expect([...names]).toEqual(
        expect.arrayContaining(['main', 'shop::till::Drawer::take', 'shop::till::weigh']),
      );
      expect([...names].filter((name) => name.startsWith('std::'))).toEqual([]);
    }
  });

  test('[trace.nothing] [pattern.advice] a pattern that matches nothing names the nearest functions and how to write it', async () => {
    const { sessionId } = await launch(client, home, buildTarget('e2e/ticker.cpp'));
    const refused = await client.call('debug_trace', { sessionId, add: ['clockwork::tik'] });
    expect(refused.text).toMatch(/clockwork::tick/);
    const launched = await runToEnd(client, home, buildTarget('e2e/startup.cpp'), {
      patterns: ['boot::frist'],
    });
    expect(launched.text).toMatch(/boot::first/);
    const expression = await client.call('debug_trace', { sessionId, add: ['clock.*::ti[ck]+'] });
    expect(expression.text).toContain('"clock*::ti*"');
    const unclosed = await client.refused('debug_trace', { sessionId, add: ['tick(int'] });
    expect(unclosed.text).toMatch(/^BAD_PATTERN: .*its \( is never closed/);
    await client.ok('debug_session', { action: 'stop', sessionId });
  });

  test('[trace.exact] [query.read-your-writes] a burst that fits into the ring is all there at once', async () => {
    const run = await runToEnd(client, home, buildTarget('e2e/flood.c'), {
      args: ['20000'],
      patterns: ['mix'],
    });
    expect((await linesOf(client, run.sessionId)).map((line) => line.text)).toEqual([
      floodResult(20_000),
    ]);
    const stats = await client.ok('debug_query', { view: 'stats', sessionId: run.sessionId });
    expect(at(stats.structured, 'counters')).toMatchObject({
      seen: 40_000,
      stored: 40_000,
      lost: 0,
    });
    expect(at(stats.structured, 'rows', 0, 'count')).toBe(20_000);
  });
});

/** What the target `flood` prints for so many rounds. */
function floodResult(rounds: number): string {
  let value = 1;
  for (let round = 0; round < rounds; round++) {
    value = (Math.imul(value, 2654435761) + ((round ^ (value >>> 7)) >>> 0)) >>> 0;
  }
  return String(value);
}
