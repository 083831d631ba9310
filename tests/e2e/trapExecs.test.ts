import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { tracersOf } from '../../src/base/proc.ts';
import { breakpointProgram } from '../support/breakpointProgram.ts';
import { partOf, partsOf } from '../support/parts.ts';
import { isAlive, until } from '../support/processes.ts';
import { listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!String(error).includes('ESRCH')) throw error;
  }
}

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('what a program executes while a stopper serves its breakpoints', () => {
  const { home, client } = withClient();
  const source = 'e2e/noPlaceChildren.c';
  const program = buildTarget(source, ['-O0', '-pthread']);
  const lines = readFileSync(targetSource(source), 'utf8').split('\n');
  const lineOf = (text: string): number => lines.findIndex((one) => one.includes(text)) + 1;
  const statement = { file: 'noPlaceChildren.c', line: lineOf('/* no place */') };
  /** By vfork, by fork, by a shell, by a thread, and behind what cannot be executed. */
  const kinds = ['s3', 'e3', 'y3', 'h3', 'r3'];
  const untraced = (asked: readonly string[]): string[] =>
    spawnSync(program, { input: `${asked.join('\n')}\n`, encoding: 'utf8' })
      .stdout.trimEnd()
      .split('\n');

  async function outputOf(sessionId: string): Promise<string[]> {
    const { structured } = await client.ok('debug_query', { view: 'output', sessionId });
    return listAt(structured, 'lines').map((one) => textAt(one, 'text'));
  }

  async function hitsOf(sessionId: string): Promise<number> {
    const { structured } = await client.ok('debug_breakpoint', { sessionId });
    return numberAt(structured, 'breakpoints', 0, 'hits');
  }

  async function pidOf(sessionId: string): Promise<number> {
    const { structured } = await client.ok('debug_session', { action: 'status', sessionId });
    return numberAt(structured, 'session', 'pid');
  }

  test('[break.exec] executed programs are recorded, however they are started, and the main one when it executes', async () => {
    const { place, say, end, sessionId } = await breakpointProgram(client, home, program);
    const pid = await pidOf(sessionId);
    await place({ ...statement, log: '{i}' });
    for (const text of kinds) await say(text);
    // Each in the main process; before an exec in "e" and "r"; in what is executed, by the shell twice.
    expect(await hitsOf(sessionId)).toBe(3 * (5 + 2 + 5 + 1));
    expect(await outputOf(sessionId)).toEqual(untraced(kinds));
    const seen = await outputSeen(client, sessionId, 'r3');
    await client.ok('debug_session', { action: 'input', sessionId, text: 'q\n' });
    await outputSeen(client, sessionId, 'ready', seen.cursor);
    await say('p3');
    await say('e3');
    expect(await hitsOf(sessionId)).toBe(3 * (13 + 1 + 3));
    expect(await pidOf(sessionId)).toBe(pid);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
    const { text } = await client.ok('debug_session', { action: 'status', sessionId });
    expect(text).not.toContain('a debugger traced it');
  });

  test('[break.exec] beside a breakpoint that stops', async () => {
    const { place, say, end, sessionId } = await breakpointProgram(client, home, program);
    await client.ok('debug_trace', { sessionId, add: ['turns'] });
    await place({
      file: 'noPlaceChildren.c',
      line: lineOf('return sum;'),
      condition: 'count == 99',
    });
    for (const text of kinds) await say(text);
    const { structured } = await client.ok('debug_query', { sessionId, view: 'stats' });
    expect(numberAt(structured, 'rows', 0, 'count')).toBe(5 + 2 + 5 + 1);
    expect(await outputOf(sessionId)).toEqual(untraced(kinds));
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  /** Whom to kill while the program executes others; `first`: the daemon that launched it. */
  const killed = {
    'its stopper': ({ pid }) => tracersOf(pid),
    'a stopper of what it executes': ({ pid }) =>
      partsOf(home, 'stopper').filter((one) => !tracersOf(pid).includes(one)),
    'the supervisor': () => partsOf(home, 'supervisor'),
    'the daemon': ({ first }) => partsOf(home, 'daemon').filter((one) => one === first),
  } as const satisfies Record<string, (of: { pid: number; first: number }) => number[]>;

  test.each(Object.entries(killed))(
    '[break.exec] nothing stays held when %s is killed meanwhile, and the output is the program’s own',
    async (_who, whom) => {
      const { place, sessionId } = await breakpointProgram(client, home, program);
      const pid = await pidOf(sessionId);
      await place({ ...statement, log: '{i}' });
      const asked = Array.from({ length: 4 }, () => kinds).flat();
      const { length } = asked;
      const text = `${[...asked, 'x'].join('\n')}\n`;
      await client.ok('debug_session', { action: 'input', sessionId, text });
      const first = partOf(home, 'daemon');
      let kills = 0;
      await until('the program has ended', () => {
        if (kills++ < length) for (const one of whom({ pid, first })) endNow(one);
        return !isAlive(pid);
      });
      expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
      expect(await outputOf(sessionId)).toEqual(untraced([...asked, 'x']));
    },
  );
});
