import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { listAt, numberAt, textAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

const source = targetSource('crash/thrown.cpp');

/** Of `int 42 thrown in …`. */
function numberIn(text: string): number {
  return Number(/\d+/.exec(text)?.[0]);
}

/** Where the target's source has these words. */
function lineOf(words: string): number {
  const before = readFileSync(source, 'utf8').split(words)[0] ?? '';
  return before.split('\n').length;
}

describe('exceptions', () => {
  const { home, client } = withClient();

  /** Runs a program with one function traced; answers its exceptions as lines and the whole answer's text. */
  async function exceptionsOf(
    program: string,
    args: readonly string[],
    pattern: string,
  ): Promise<{ lines: string[]; exit: unknown; sessionId: string }> {
    const env = { RUST_BACKTRACE: '0' };
    const { sessionId, exit } = await runToEnd(client, home, program, {
      args,
      env,
      patterns: [pattern],
      projectRoot: dirname(source),
    });
    return { lines: await exceptionLines(sessionId), exit, sessionId };
  }

  async function exceptionLines(sessionId: string): Promise<string[]> {
    const { structured } = await client.ok('debug_query', {
      view: 'events',
      sessionId,
      eventType: ['exception'],
      limit: 500,
      budget: 40_000,
    });
    return listAt(structured, 'events').map((event) => textAt(event, 'text'));
  }

  const guarded = 'left raise_one, through, caught in guarded';
  const caught = [
    `std::invalid_argument "not a number: 3x" thrown in raise_one (thrown.cpp:16), ${guarded} (thrown.cpp:31)`,
    `int 42 thrown in raise_one (thrown.cpp:17), ${guarded} (thrown.cpp:33)`,
    `char const* "plain text" thrown in raise_one (thrown.cpp:18), ${guarded} (thrown.cpp:33)`,
    `Refused holding "no more money in this account" thrown in raise_one (thrown.cpp:19), ${guarded} (thrown.cpp:33)`,
    `std::system_error "opening: No such file or directory" thrown in raise_one (thrown.cpp:20), ${guarded} (thrown.cpp:31)`,
    'std::invalid_argument "not a number: 3x" thrown in raise_one (thrown.cpp:16), left raise_one, caught in again (thrown.cpp:41)',
    'std::invalid_argument "not a number: 3x" rethrown in again (thrown.cpp:42), left again, caught in main (thrown.cpp:85)',
  ];

  for (const flags of [[], ['-static-libgcc', '-static-libstdc++']]) {
    const how = flags.length === 0 ? '' : ', also with the unwinder linked statically';
    test(`[exceptions.cpp] each C++ exception is an event: what, where thrown, what it left, where caught${how}`, async () => {
      const program = buildTarget('crash/thrown.cpp', ['-O1', ...flags]);
      const { lines, exit } = await exceptionsOf(program, ['end'], 'guarded');
      expect(exit).toMatchObject({ signal: 'SIGABRT' });
      expect(lines.slice(0, 7)).toEqual(caught);
      expect(lines.slice(7)).toEqual([
        'std::invalid_argument "not a number: 3x" thrown in raise_one (thrown.cpp:16), UNCAUGHT: std::terminate',
      ]);
    });
  }

  test('[exceptions.cpp] a thread that does not catch ends the program, one that does goes on', async () => {
    const program = buildTarget('crash/thrown.cpp', ['-O1']);
    const { lines, exit } = await exceptionsOf(program, ['threads'], 'guarded');
    expect(exit).toMatchObject({ signal: 'SIGABRT' });
    expect(lines).toEqual([
      `int 42 thrown in raise_one (thrown.cpp:17), ${guarded} (thrown.cpp:33)`,
      'std::invalid_argument "not a number: 3x" thrown in raise_one (thrown.cpp:16), UNCAUGHT: std::terminate',
    ]);
  });

  test('[exceptions.cpp] threads that throw at once have each their own exceptions, all of them', async () => {
    const program = buildTarget('crash/thrown.cpp', ['-O1', '-pthread']);
    const { exit, sessionId } = await exceptionsOf(program, ['crowd'], 'guarded');
    expect(exit).toMatchObject({ kind: 'exited', code: 0 });
    const { structured } = await client.ok('debug_query', {
      view: 'events',
      sessionId,
      eventType: ['exception'],
      limit: 500,
      budget: 40_000,
    });
    const texts = new Map<number, string[]>();
    for (const event of listAt(structured, 'events')) {
      const tid = numberAt(event, 'threadId');
      texts.set(tid, [...(texts.get(tid) ?? []), textAt(event, 'text')]);
    }
    const [thrown, caughtAt] = [lineOf('throw number;'), lineOf('catch (int caught)')];
    const expected = Array.from({ length: 6 }, (_thread, one) =>
      Array.from({ length: 12 }, (_time, i) => {
        const what = `int ${one * 100 + i} thrown in numbered (thrown.cpp:${thrown})`;
        return `${what}, caught in numbered (thrown.cpp:${caughtAt})`;
      }),
    );
    const seen = [...texts.values()].toSorted(
      (a, b) => numberIn(a[0] ?? '') - numberIn(b[0] ?? ''),
    );
    expect(seen).toEqual(expected);
  });

  test('[exceptions.flood] of very many some are recorded, all are counted, and the program computes the same', async () => {
    const program = buildTarget('crash/thrown.cpp', ['-O1']);
    const plain = await runProgram({ env: { ...home.env }, cwd: home.project }, [program, 'flood']);
    const { exit, sessionId } = await exceptionsOf(program, ['flood'], 'guarded');
    expect(exit).toMatchObject({ kind: 'exited', code: plain.code });
    const counted = await vi.waitFor(
      async () => {
        const { structured } = await client.ok('debug_query', { view: 'stats', sessionId });
        const text = listAt(structured, 'notes').join('\n');
        const found = /20000 exceptions were raised; (\d+) of them were only counted/.exec(text);
        if (found === null) throw new Error(text);
        return Number(found[1]);
      },
      { timeout: 60_000, interval: 200 },
    );
    const lines = await exceptionLines(sessionId);
    expect(lines.length).toBeGreaterThanOrEqual(100);
    expect(lines.length).toBeLessThan(5000);
    expect(lines.at(-1)).toMatch(
      /^int 42 thrown in raise_one \(thrown\.cpp:17\), left raise_one, through, caught in main/,
    );
    expect(counted + lines.length).toBe(20_000);
  });

  itNeeds(
    'rustc',
    '[exceptions.rust] where panics abort, the one that ended the program is told',
    async () => {
      const program = buildTarget('crash/panics.rs', ['-C', 'panic=abort']);
      const { lines, exit } = await exceptionsOf(program, [], 'panics::balance');
      expect(exit).toMatchObject({ signal: 'SIGABRT' });
      expect(lines).toEqual([
        'panic "account 3 is closed" in panics::balance (panics.rs:7), not caught: it ended the program',
      ]);
    },
  );

  itNeeds(
    'rustc',
    '[exceptions.rust] each panic is an event: message, place, and who caught it',
    async () => {
      const { lines, exit } = await exceptionsOf(
        buildTarget('crash/panics.rs'),
        [],
        'panics::balance',
      );
      expect(exit).toMatchObject({ code: 101 });
      expect(lines).toEqual([
        'panic "account 3 is closed" in panics::balance (panics.rs:7), left panics::balance, caught in panics::main (panics.rs:12)',
        'panic "called `Option::unwrap()` on a `None` value" in panics::main::{closure} (panics.rs:15), not caught: it ended its thread',
        'panic "account 3 is closed" in panics::balance (panics.rs:7), not caught: it ended the program',
      ]);
    },
  );
});
