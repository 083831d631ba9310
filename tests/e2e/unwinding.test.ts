import { describe, expect, test } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { itNeeds } from '../support/needs.ts';
import { withClient } from '../support/suite.ts';
import { buildByClang, buildTarget } from '../support/targets.ts';

describe('exceptions and panics', () => {
  const { home, client } = withClient();

  /** Runs a program with and without tracing; both must say and return the same. */
  async function alike(program: string, pattern: string): Promise<string> {
    const env = { RUST_BACKTRACE: '0' };
    const plain = await runProgram({ env: { ...home.env, ...env }, cwd: home.project }, [program]);
    const traced = await runToEnd(client, home, program, { patterns: [pattern], env });
    const lines = await linesOf(client, traced.sessionId);
    const stream = (name: string) =>
      lines
        .filter((line) => line.stream === name)
        .map((line) => withoutIds(line.text))
        .join('\n')
        .trimEnd();
    expect(stream('stdout')).toBe(withoutIds(plain.stdout.toString()).trimEnd());
    expect(stream('stderr')).toBe(withoutIds(plain.stderr).trimEnd());
    expect(traced.exit).toMatchObject(
      plain.signal === null
        ? { kind: 'exited', code: plain.code }
        : { kind: 'signalled', signal: plain.signal },
    );
    return traced.sessionId;
  }

  // Rust names the panicking thread with its id.
  const withoutIds = (text: string) => text.replace(/thread '(\S+)' \(\d+\)/g, "thread '$1' (id)");

  for (const level of ['-O0', '-O1', '-O2']) {
    test(`[unwinding.cpp] C++ exceptions through traced frames behave as untraced (${level})`, async () => {
      const sessionId = await alike(buildTarget('e2e/throws.cpp', [level]), 'storm::**');
      const failed = await callsOf(client, sessionId, {
        function: { equals: 'storm::fail' },
        limit: 8,
      });
      expect(failed.map((call) => call.end)).toEqual(
        failed.map((call) => (call.arguments['kind'] === 0 ? 'returned' : 'unwound')),
      );
      expect(failed.map((call) => call.arguments['kind'])).toEqual([0, 0, 1, 2, 3, 0, 0, 1]);
    });
  }

  for (const flags of [['-O0'], ['-O2'], ['-O2', '-flto'], ['-O2', '-fcf-protection=full']]) {
    itNeeds(
      'clangBuilds',
      `[unwinding.cpp] the same exceptions by clang (${flags.join(' ')})`,
      async () => {
        const program = buildByClang('e2e/throws.cpp', ['-std=c++17', '-pthread', ...flags]);
        const sessionId = await alike(program, 'storm::**');
        const failed = await callsOf(client, sessionId, {
          function: { equals: 'storm::fail' },
          limit: 8,
        });
        expect(failed.length).toBe(8);
      },
    );
  }

  for (const level of ['-O0', '-O2']) {
    test(`[unwinding.cpp] a call with arguments on the stack ends unwound whatever lay there before (${level})`, async () => {
      const sessionId = await alike(buildTarget('e2e/thrownThrough.cpp', [level]), 'through::**');
      const left = await callsOf(client, sessionId, {
        function: { equals: 'through::many' },
        limit: 200,
        budget: 20_000,
      });
      expect(left.map(({ end }) => end)).toEqual(Array.from({ length: 96 }, () => 'unwound'));
    });
  }

  test('[unwinding.static-libgcc] also when the program carries its own unwinder', async () => {
    await alike(
      buildTarget('e2e/throws.cpp', ['-static-libgcc', '-static-libstdc++']),
      'storm::**',
    );
  });

  test('[unwinding.uncaught] an exception nobody catches aborts as untraced', async () => {
    await alike(buildTarget('e2e/uncaught.cpp'), 'explode');
  });

  itNeeds(
    'rustc',
    '[unwinding.rust] Rust panics through traced frames behave as untraced',
    async () => {
      await alike(buildTarget('e2e/shapes.rs'), 'shapes::**');
    },
  );
});
