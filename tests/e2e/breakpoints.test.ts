import { execFileSync } from 'node:child_process';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { breakpointProgram } from '../support/breakpointProgram.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { killDaemon } from '../support/parts.ts';
import { eventsOf } from '../support/calls.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { symbolsOf } from '../support/engineProgram.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('breakpoints', () => {
  const { home, client } = withClient();
  const source = 'e2e/breakpoints.c';
  const lines = readFileSync(targetSource(source), 'utf8').split('\n');
  const line = (text: string): number => lines.findIndex((one) => one.includes(text)) + 1;

  const started = async (level: string, options: Readonly<Record<string, unknown>> = {}) =>
    breakpointProgram(client, home, buildTarget(source, [level]), options);

  test.each([
    [
      '-O0',
      {
        line: line('sum += each'),
        condition: 'i == 2',
        log: 'sum={sum} of {args[0]->name}',
      },
      // Rounds 3 and 7 buy three teas.
      ['sum=501 of "tea"', 'sum=501 of "tea"'],
    ],
    [
      '-O2',
      {
        line: line('total += sum'),
        condition: 'sum > 1000',
        log: 'sum={sum} total={total}',
      },
      // Rounds 2 and 6 buy two cups.
      ['sum=1391 total=250', 'sum=1391 total=2644'],
    ],
  ])(
    '[break.log] a text with arguments, locals, fields and globals is written at each hit that meets the condition, %s',
    async (level, wanted, said) => {
      const { place, say, end, hits } = await started(level);
      const { structured, text } = await place({ file: 'breakpoints.c', ...wanted });
      expect(text).toMatch(/b1 breakpoints\.c:\d+ bound · jump/);
      expect(at(structured, 'breakpoints', 0)).toMatchObject({ state: 'bound', means: 'jump' });
      await say('8');
      expect((await hits()).map((hit) => textAt(hit, 'message'))).toEqual(said);
      expect(await end()).toEqual({ kind: 'exited', code: 0 });
    },
  );

  test('[break.counts] hits and those that met the condition are counted exactly, also those that leave no record', async () => {
    const { place, say, end, hits, sessionId } = await started('-O0');
    await place(
      {
        file: 'breakpoints.c',
        line: line('sum += each'),
        condition: 'i == 2',
        capture: { values: ['each'] },
      },
      { file: 'breakpoints.c', line: line('int paid'), every: 3, capture: { values: ['round'] } },
      {
        file: 'breakpoints.c',
        line: line('behind the price'),
        once: true,
        capture: { locals: true },
      },
    );
    await say('8');
    const { structured } = await client.ok('debug_breakpoint', { sessionId });
    const counts = listAt(structured, 'breakpoints').map((one) => [
      numberAt(one, 'hits'),
      numberAt(one, 'met'),
    ]);
    // Rounds 0 to 7 buy 0, 1, 2 and 3 things.
    expect(counts).toEqual([
      [12, 2],
      [8, 2],
      [8, 1],
    ]);
    const values = (await hits()).map((hit) => at(hit, 'arguments'));
    expect(values).toContainEqual({ each: 252 });
    expect(values).toContainEqual({ round: 2 });
    expect(values).toContainEqual({ round: 5 });
    expect(values).toContainEqual(expect.objectContaining({ paid: 0, round: 0, weight: 0.5 }));
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[break.thread] only hits of the thread that is meant, by id or name, are recorded; the others are counted', async () => {
    const { place, say, end, hits, sessionId } = await started('-O0');
    const status = await client.ok('debug_session', { action: 'status', sessionId });
    const pid = numberAt(status.structured, 'session', 'pid');
    const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
    const where = { file: 'breakpoints.c', line: line('total += sum'), log: '{sum}' };
    await place(
      { ...where, label: 'id', thread: String(pid) },
      { ...where, label: 'name', thread: name },
      { ...where, label: 'other', thread: 'another' },
    );
    await say('4');
    const { structured } = await client.ok('debug_breakpoint', { sessionId });
    const counts = listAt(structured, 'breakpoints').map((one) => [
      numberAt(one, 'hits'),
      numberAt(one, 'met'),
    ]);
    expect(counts).toEqual([
      [4, 4],
      [4, 4],
      [4, 0],
    ]);
    expect(await hits({ function: { equals: 'other' } })).toHaveLength(0);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[break.timeline] a hit lies below the call it happened in, and is filtered like a call', async () => {
    const { place, say, end, hits, sessionId } = await started('-O0', {
      patterns: ['price', 'shop'],
    });
    await place({
      file: 'breakpoints.c',
      line: line('sum += each'),
      condition: 'sum > 600',
      label: 'discount',
      capture: { values: ['sum'] },
    });
    await say('4');
    const { text } = await client.ok('debug_query', { view: 'tree', sessionId });
    expect(text).toMatch(/shop\(rounds=4\)[\s\S]*price\([\s\S]*● discount {2}sum=700/);
    expect(await hits({ function: { equals: 'discount' } })).toHaveLength(1);
    const exported = await client.ok('debug_session', {
      action: 'export',
      sessionId,
      format: 'jsonl',
      function: { equals: 'discount' },
    });
    expect(readFileSync(textAt(exported.structured, 'path'), 'utf8')).toMatch(
      /^\{"eventType":"logpoint","id":"[^"]+","timestampNs":\d+,"durationNs":0,.*"arguments":\{"sum":700\}/m,
    );
    expect(await hits({ argument: [{ name: 'sum', gt: 2000 }] })).toHaveLength(0);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[break.live] breakpoints are changed and removed while the program runs, and hit in forked children', async () => {
    const { place, say, end, hits, sessionId } = await started('-O2');
    await place({
      file: 'breakpoints.c',
      statement: 'total += sum',
      capture: { values: ['sum', 'total'] },
    });
    await say('fork');
    expect(await hits()).toHaveLength(3);
    await client.ok('debug_breakpoint', {
      sessionId,
      change: [{ id: 'b1', condition: 'sum > 1000' }],
    });
    await say('4');
    expect(await hits()).toHaveLength(4);
    await client.ok('debug_breakpoint', { sessionId, remove: ['b1'] });
    await say('4');
    expect(await hits()).toHaveLength(4);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[break.truth] a breakpoint that cannot be says why, with the nearest lines or the names there are', async () => {
    const { place, end } = await started('-O0');
    const { structured, text } = await place(
      'breakpoints.c:9999',
      'nowhere.c:1',
      { file: 'breakpoints.c', line: line('sum += each'), log: '{nonesuch}' },
      'no_such_function',
      'price',
      { file: 'breakpoints.c', line: line('static long total') + 1, capture: { values: ['sum'] } },
    );
    const states = listAt(structured, 'breakpoints').map((one) => textAt(one, 'state'));
    expect(states).toEqual(['failed', 'failed', 'failed', 'failed', 'bound', 'bound']);
    const count = lines.length - 1; // It ends with a newline.
    expect(text).toContain(`failed: breakpoints.c has ${count} lines. Nearest lines with code: `);
    expect(text).toMatch(/"nonesuch" is not in scope there: in scope are each, i,/);
    expect(text).toMatch(/b6 .* moved from line \d+ to \d+/);
    expect(text).toMatch(/^b4 no_such_function failed/m);
    const later = await place('price');
    expect(later.text).toMatch(/^failed before: b1 .*, b4 no_such_function$/m);
    expect(later.text).not.toContain('Nearest lines');
    const wrong = await client.refused('debug_breakpoint', {
      add: [{ file: 'a.c', line: 1, condition: 'sum >' }],
    });
    expect(wrong.text).toMatch(/BAD_EXPRESSION: "sum >" .* it ends too early, at column 6/);
    const open = await client.refused('debug_breakpoint', {
      add: [{ file: 'a.c', line: 1, log: 'sum={sum' }],
    });
    expect(open.text).toMatch(/BAD_EXPRESSION: "sum=\{sum" .*"\{" at column 5 has no "\}"/);
    const near = await place({ file: 'breakpoint.c', line: 1, log: 'x' });
    expect(near.text).toMatch(
      /b8 .* failed: No program or library that is loaded was built from breakpoint\.c; it is set when one is loaded\. Nearest: breakpoints\.c/,
    );
    const elsewhere = await place('other::price');
    expect(elsewhere.text).toMatch(
      /^b9 other::price failed: other::price means no function that is loaded; .* Nearest: price/m,
    );
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[break.beside] one that records is bound with one that stops at its statement, before it or later', async () => {
    const { place } = await started('-O0');
    const where = { file: 'breakpoints.c', line: line('sum -= 10') };
    const stop = { ...where, condition: 'sum < 0' };
    const { structured } = await place(stop, { ...where, log: '{sum}' });
    const ways = listAt(structured, 'breakpoints').map((one) => textAt(one, 'means'));
    expect(ways).toEqual(['trap', 'jump']);
    const first = line('int sum = 0');
    await place(`breakpoints.c:${first}`);
    const later = await place({ file: 'breakpoints.c', line: first, log: '{count}' });
    expect(later.text).toMatch(/b4 .* bound · trap, 15 to 45 µs a hit/);
  });

  test('[break.truth] a source newer than its program, a function that left no code and a library that is not loaded each say what to do; one that is inlined has a place in each copy', async () => {
    const { project: folder } = home;
    const file = join(folder, 'wrong.c');
    writeFileSync(
      file,
      [
        '#include <stdio.h>',
        'static volatile int seen;',
        'static inline __attribute__((always_inline)) int doubled(int x) {',
        '  seen = x;',
        '  return 2 * x;',
        '}',
        'static int constant(void) { return 42; }',
        'int main(void) {',
        '  char line[8];',
        '  puts("ready");',
        '  fflush(stdout);',
        '  while (fgets(line, sizeof line, stdin)) {',
        '    seen = constant();',
        '    printf("%d\\ndone\\n", doubled(line[0]) + doubled(line[1]));',
        '    fflush(stdout);',
        '  }',
        '}',
      ].join('\n'),
    );
    const program = join(folder, 'wrong');
    execFileSync('gcc', ['-g', '-O2', file, '-o', program]);
    const now = Date.now() / 1000 + 60;
    utimesSync(file, now, now);
    const { place, say, hits, end } = await breakpointProgram(client, home, program);
    const { structured, text } = await place(
      { file: 'wrong.c', line: 13, log: 'here' },
      { function: 'doubled', log: 'x' },
      { function: 'plugin_start', log: 'x' },
      { file: 'plugin.c', line: 3, log: 'x' },
      { function: 'constant', log: 'x' },
      { file: 'plugin.py', line: 3, log: 'x' },
    );
    const states = listAt(structured, 'breakpoints').map((one) => textAt(one, 'state'));
    expect(states).toEqual(['bound', 'bound', 'failed', 'failed', 'failed', 'pending']);
    expect(text).toMatch(
      /The source is newer than the program: .* Build and restart it, or name the line by its text/,
    );
    expect(text).toMatch(/b2 doubled\(\) bound .* 2 places\n {3}doubled in main {2}wrong\.c:/);
    expect(text).toMatch(
      /b3 .* plugin_start means no function that is loaded; it is set when one is loaded/,
    );
    expect(text).toMatch(/b4 .* was built from plugin\.c; it is set when one is loaded/);
    expect(text).toMatch(
      /b5 .* constant stands in wrong\.c:7, but what is loaded has no code of it: .* Set a breakpoint where it is used \(wrong\.c:13\), or build without optimisation/,
    );
    expect(text).toMatch(/b6 .* pending: It waits for a process that runs Python: none is traced/);
    await say('a');
    expect(await hits({ function: { equals: 'doubled()' } })).toHaveLength(2);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[break.again] breakpoints are there again in a restarted program, and one that was never hit is named at the end', async () => {
    const { place, end, sessionId } = await started('-O0');
    await place({ file: 'breakpoints.c', line: line('total += sum'), log: '{sum}' });
    const again = await client.ok('debug_session', { action: 'restart', sessionId });
    const next = textAt(again.structured, 'sessionId');
    await outputSeen(client, next, 'ready');
    const { structured } = await client.ok('debug_breakpoint', { sessionId: next });
    expect(listAt(structured, 'breakpoints').map((one) => textAt(one, 'state'))).toEqual(['bound']);
    await client.ok('debug_session', { action: 'input', sessionId: next, text: '', eof: true });
    await exitOf(client, next);
    const { text } = await client.ok('debug_breakpoint', { sessionId: next });
    expect(text).toMatch(/never hit: b1 breakpoints\.c:\d+/);
    expect(end).toBeDefined();
  });

  test('[break.again] one in a library that is loaded later waits for it', async () => {
    const library = buildTarget('e2e/geometry.c', ['-shared', '-fPIC'], 'libgeometry.so');
    const { sessionId } = await launch(client, home, buildTarget('e2e/loader.c', ['-ldl']), {
      args: [library],
      stdin: 'open',
      projectRoot: dirname(library),
    });
    await outputSeen(client, sessionId, 'ready');
    const add = [{ function: 'geometry_area', log: '{width} by {height}' }];
    const early = await client.ok('debug_breakpoint', { sessionId, add });
    expect(early.text).toMatch(
      /b1 .*geometry_area means no function that is loaded; it is set when one is loaded/,
    );
    const say = async (text: string, eof = false) =>
      client.ok('debug_session', { action: 'input', sessionId, text: `${text}\n`, eof });
    await say('load');
    await outputSeen(client, sessionId, 'first');
    await vi.waitFor(
      async () => {
        const { text } = await client.ok('debug_breakpoint', { sessionId });
        expect(text).toMatch(/b1 geometry_area\(\) bound/);
      },
      { timeout: 30_000 },
    );
    await say('again', true);
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
    const hits = await eventsOf(client, sessionId, { eventType: ['logpoint'] });
    expect(textAt(hits.at(-1), 'message')).toBe('4.0 by 5.0');
  });

  test('[break.again] a program that loads the library that a breakpoint names waits for it', async () => {
    const library = buildTarget('e2e/geometry.c', ['-shared', '-fPIC'], 'libgeometry.so');
    const { sessionId } = await launch(client, home, buildTarget('e2e/loader.c', ['-ldl']), {
      args: [library],
      stdin: 'open',
      projectRoot: dirname(library),
    });
    await outputSeen(client, sessionId, 'ready');
    const add = [{ function: 'libgeometry.so!geometry_area', log: '{width} by {height}' }];
    await client.ok('debug_breakpoint', { sessionId, add });
    const text = 'load\nagain\n';
    await client.ok('debug_session', { action: 'input', sessionId, text, eof: true });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
    const hits = await eventsOf(client, sessionId, { eventType: ['logpoint'] });
    const status = await client.ok('debug_session', { action: 'status', sessionId });
    // A machine that is too slow for that says so.
    if (!status.text.includes('hooked only after it was in use'))
      expect(hits.map((hit) => textAt(hit, 'message'))).toEqual(['3.0 by 5.0', '4.0 by 5.0']);
    expect(status.text).not.toContain('did not wait');
  });

  test('[break.address] the address of a statement is a place; the next daemon knows the breakpoints that record', async () => {
    const { place, say, end, hits, sessionId } = await started('-O0');
    const where = { file: 'breakpoints.c', line: line('total += sum'), log: '{sum}' };
    await place({ ...where, label: 'line' });
    const program = buildTarget(source, ['-O0']);
    const status = await client.ok('debug_session', { action: 'status', sessionId });
    const maps = readFileSync(
      `/proc/${numberAt(status.structured, 'session', 'pid')}/maps`,
      'utf8',
    );
    const base = maps
      .split('\n')
      .find((one) => one.endsWith(program))
      ?.split('-')[0];
    const symbol = symbolsOf(program).get('price')?.address ?? 0n;
    const address = `0x${(BigInt(`0x${base}`) + symbol).toString(16)}`;
    const { text: there } = await place({ address, log: 'at its entry' });
    expect(there).toMatch(/b2 0x\w+ bound · jump\n {3}price /);
    const wrong = await place({ address: '0x10', log: 'x' });
    expect(wrong.text).toMatch(/0x10 failed: There is no code of a file at 0x10/);
    await killDaemon(home);
    await vi.waitFor(
      async () => {
        const { text } = await client.ok('debug_breakpoint', { sessionId });
        expect(text).toMatch(/line bound/);
      },
      { timeout: 30_000 },
    );
    await say('2');
    expect(await hits({ function: { equals: 'line' } })).toHaveLength(2);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });
});
