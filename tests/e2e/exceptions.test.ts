import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startClient, type TestClient } from '../support/client.ts';
import { openHome, type TestHome } from '../support/home.ts';
import { itNeeds } from '../support/needs.ts';
import { listAt, textAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

const source = targetSource('crash/thrown.cpp');

describe('exceptions', () => {
  let home: TestHome;
  let client: TestClient;
  beforeAll(async () => {
    home = openHome();
    client = await startClient(home);
  });
  afterAll(async () => {
    await client.close();
    await home.close();
  });

  /** Runs a program with one function traced; answers its exceptions as lines and the whole answer's text. */
  async function exceptionsOf(
    program: string,
    args: readonly string[],
    pattern: string,
  ): Promise<{ lines: string[]; exit: unknown; sessionId: string }> {
    const env = { RUST_BACKTRACE: '0' };
    const { sessionId, exit } = await runToEnd(client, home, program, {
      ...{ args, env, patterns: [pattern], projectRoot: dirname(source) },
    });
    const answer = await client.ok('debug_query', {
      ...{ view: 'events', sessionId, eventType: ['exception'], limit: 500, budget: 40_000 },
    });
    const lines = listAt(answer.structured, 'events').map((event) => textAt(event, 'text'));
    return { lines, exit, sessionId };
  }

  const guarded = 'left raise_one, through, caught in guarded';
  const caught = [
    `std::invalid_argument "not a number: 3x" thrown in raise_one (thrown.cpp:14), ${guarded} (thrown.cpp:29)`,
    `int 42 thrown in raise_one (thrown.cpp:15), ${guarded} (thrown.cpp:31)`,
    `char const* "plain text" thrown in raise_one (thrown.cpp:16), ${guarded} (thrown.cpp:31)`,
    `Refused holding "no more money in this account" thrown in raise_one (thrown.cpp:17), ${guarded} (thrown.cpp:31)`,
    `std::system_error "opening: No such file or directory" thrown in raise_one (thrown.cpp:18), ${guarded} (thrown.cpp:29)`,
    'std::invalid_argument "not a number: 3x" thrown in raise_one (thrown.cpp:14), left raise_one, caught in again (thrown.cpp:39)',
    'std::invalid_argument "not a number: 3x" rethrown in again (thrown.cpp:40), left again, caught in main (thrown.cpp:59)',
  ];

  for (const flags of [[], ['-static-libgcc', '-static-libstdc++']]) {
    const how = flags.length === 0 ? '' : ', also with the unwinder linked statically';
    test(`[exceptions.cpp] each C++ exception is an event: what, where thrown, what it left, where caught${how}`, async () => {
      const program = buildTarget('crash/thrown.cpp', ['-O1', ...flags]);
      const { lines, exit } = await exceptionsOf(program, ['end'], 'guarded');
      expect(exit).toMatchObject({ signal: 'SIGABRT' });
      expect(lines.slice(0, 7)).toEqual(caught);
      expect(lines.slice(7)).toEqual([
        'std::invalid_argument "not a number: 3x" thrown in raise_one (thrown.cpp:14), UNCAUGHT: std::terminate',
      ]);
    });
  }

  test('[exceptions.flood] of very many some are recorded, all are counted, and the program computes the same', async () => {
    const program = buildTarget('crash/thrown.cpp', ['-O1']);
    const plain = await runProgram({ env: { ...home.env }, cwd: home.project }, [program, 'flood']);
    const { lines, exit, sessionId } = await exceptionsOf(program, ['flood'], 'guarded');
    expect(exit).toMatchObject({ kind: 'exited', code: plain.code });
    const counted = await vi.waitFor(
      async () => {
        const { text } = await client.ok('debug_query', { view: 'stats', sessionId });
        const found = /20000 exceptions were raised; (\d+) of them were only counted/.exec(text);
        if (found === null) throw new Error(text);
        return Number(found[1]);
      },
      { timeout: 30_000, interval: 200 },
    );
    expect(lines.length).toBeGreaterThanOrEqual(100);
    expect(lines.length).toBeLessThan(5000);
    expect(lines.at(-1)).toMatch(
      /^int 42 thrown in raise_one \(thrown\.cpp:15\), left raise_one, through, caught in main/,
    );
    expect(counted + lines.length).toBe(20_000);
  });

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
