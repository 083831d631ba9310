import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { at } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildByClang, buildTarget } from '../support/targets.ts';

describe('results nobody uses', () => {
  const { home, client } = withClient();

  /** The functions whose results were told as not known; all others are what the program printed. */
  async function untoldOf(program: string, file: string): Promise<readonly string[]> {
    const printed = execFileSync(program, { encoding: 'utf8' }).trim().split('\n');
    const patterns = [`@file:**/${file}`];
    const { sessionId } = await runToEnd(client, home, program, { patterns });
    const calls = await callsOf(client, sessionId);
    const untold: string[] = [];
    for (const line of printed) {
      const [name = '', result] = line.split(' ');
      const call = calls.find((one) => one.function.split('::').at(-1) === name);
      if (typeof at(call?.returns, 'notCaptured') === 'string') untold.push(name);
      else expect(`${name} ${String(call?.returns)}`).toBe(`${name} ${result}`);
    }
    return untold;
  }

  const local = ['unused', 'partly', 'pointed', 'used', 'always'];

  test('[values.optimised] by gcc a result is read or told as not known', async () => {
    const untold = await untoldOf(buildTarget('e2e/unusedResults.c', ['-O2']), 'unusedResults.c');
    expect(untold).not.toContain('visible');
    expect(untold).not.toContain('used');
  });

  itNeeds(
    'clangBuilds',
    '[values.optimised] by clang too, which may not say what it removed',
    async () => {
      const plain = buildByClang('e2e/unusedResults.c', []);
      expect(await untoldOf(plain, 'unusedResults.c')).toEqual([]);
      const optimised = buildByClang('e2e/unusedResults.c', ['-O2']);
      const untold = await untoldOf(optimised, 'unusedResults.c');
      expect(local).toEqual(expect.arrayContaining([...untold]));
    },
  );

  for (const level of ['0', '1', '3'])
    itNeeds('rustc', `[values.optimised] by rustc too, opt-level ${level}`, async () => {
      const program = buildTarget('e2e/unusedResults.rs', ['-C', `opt-level=${level}`]);
      const untold = await untoldOf(program, 'unusedResults.rs');
      expect(untold).not.toContain('visible');
      if (level === '0') expect(untold).toEqual([]);
    });
});
