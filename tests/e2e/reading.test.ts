import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { at } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describe('reading the program', () => {
  const { home, client } = withClient();

  /** Runs a program untraced and traced, which must say and return the same; answers the session. */
  async function alike(program: string, args: readonly string[] = []): Promise<string> {
    const plain = await runProgram({ env: home.env, cwd: home.project }, [program, ...args]);
    const { sessionId, exit } = await runToEnd(client, home, program, { args, patterns: ['*'] });
    expect(exit).toEqual({ kind: 'exited', code: plain.code });
    const lines = await linesOf(client, sessionId, { stream: 'stdout' });
    expect(lines.map((line) => `${line.text}\n`).join('')).toBe(plain.stdout.toString());
    return sessionId;
  }

  test('[reading.stack-end] functions without debug information are traced on a stack that ends right above them', async () => {
    const flags = ['-O1', '-g0', '-falign-functions=16'];
    const calls = await callsOf(client, await alike(buildTarget('e2e/stackEnd.c', flags)));
    expect(calls.filter((call) => call.function === 'inner')).toHaveLength(5);
  });

  test('[reading.open-stack] variadic functions get hundreds of bytes of arguments; entries are recorded, ends are not seen', async () => {
    const sessionId = await alike(buildTarget('e2e/manyVariadic.c', ['-O1']));
    const calls = await callsOf(client, sessionId);
    const found = calls.filter((call) => ['sumv', 'logf_'].includes(call.function));
    expect(found.map((call) => [call.function, call.end])).toEqual([
      ['sumv', 'unseen'],
      ['logf_', 'unseen'],
    ]);
    expect(found[0]?.arguments['n']).toBe(60);
    const { text } = await client.ok('debug_query', { view: 'tree', sessionId });
    expect(text).toContain('its end is not seen');
  });

  test('[reading.open-stack] without debug information functions get what they are passed by value, or are refused', async () => {
    const flags = ['-O1', '-g0', '-falign-functions=16'];
    const calls = await callsOf(client, await alike(buildTarget('e2e/largeByValue.c', flags)));
    expect(calls.find((call) => call.function === 'sum')?.end).toBe('unseen');
    expect(calls.some((call) => call.function === 'many')).toBe(false);
  });

  test('[reading.small-stacks] large values are captured on a stack of 4 KB, and nothing below it is written to', async () => {
    const program = buildTarget('e2e/smallStack.cpp', ['-O1', '-falign-functions=16']);
    const calls = await callsOf(client, await alike(program, ['4096']), {
      function: { equals: 'touch' },
    });
    expect(calls).toHaveLength(100);
    expect(JSON.stringify(calls[5]?.arguments)).toContain('some name that is longer');
  });

  itNeeds(
    'root',
    '[reading.waits] a thread that captures does not wait for itself to fill in a page',
    async () => {
      const sessionId = await alike(buildTarget('e2e/waitingPages.c', ['-O0', '-pthread']));
      const calls = await callsOf(client, sessionId, { function: { equals: 'serve' } });
      expect(calls).toHaveLength(16);
      expect(calls[0]?.arguments['number']).toBe(0);
    },
  );

  itNeeds(
    'fuse',
    '[reading.waits] a thread that captures does not wait for a page of a file that it serves itself (FUSE)',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'strobe-fuse-'));
      const program = buildTarget('e2e/servesItself.c', ['-O0', '-pthread']);
      const sessionId = await alike(program, [folder]);
      rmdirSync(folder);
      const calls = await callsOf(client, sessionId, { function: { equals: 'serve' } });
      expect(calls.map((call) => call.arguments['number'])).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      for (const call of calls) expect(at(call.arguments['where'], 'unreadable')).toMatch(/^0x/);
    },
  );

  test('[reading.convention] what a function is passed by another convention is told as unknown, and it computes the same', async () => {
    for (const level of ['-O0', '-O1']) {
      const program = buildTarget('e2e/otherConvention.c', [level, '-falign-functions=16']);
      const calls = await callsOf(client, await alike(program));
      const [six, plain] = ['six', 'plain'].map((name) =>
        calls.find((one) => one.function === name),
      );
      expect(Object.values(six?.arguments ?? {})).not.toContain(1);
      expect(six?.returns).toBe(91);
      expect(plain?.arguments['a']).toBe(4);
    }
  });
});
