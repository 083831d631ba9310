import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callsOf } from '../../support/calls.ts';
import { OwnDaemon } from '../../support/ownDaemon.ts';
import { pythons } from '../../support/pythons.ts';
import { textAt } from '../../support/read.ts';
import { buildTarget, targetSource } from '../../support/targets.ts';

const folder = dirname(targetSource('python/launches/late.py'));
const { path: python } = pythons.find(({ minor }) => minor === 12) ?? { path: 'python3' };

async function launched(launch: Readonly<Record<string, unknown>>) {
  const daemon = await OwnDaemon.start([]);
  onTestFinished(async () => daemon.close());
  const answer = await daemon.ok('debug_launch', {
    cwd: folder,
    projectRoot: folder,
    patterns: ['tally'],
    ...launch,
  });
  const sessionId = textAt(answer.structured, 'sessionId');
  const status = async (): Promise<string> =>
    (await daemon.ok('debug_session', { action: 'status', sessionId })).text;
  const end = async (): Promise<string> => {
    await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 40_000 });
    return await status();
  };
  return { daemon, sessionId, answer, status, end };
}

describe('what of Python cannot be traced is told', () => {
  test('[python.refused] an interpreter without symbols runs untraced', async () => {
    const { end } = await launched({ command: buildTarget('python/bare.c', ['-O0']) });
    const text = await end();
    expect(text).toContain('exited with code 0');
    expect(text).toContain('its interpreter exports no symbols of the C interface of Python');
  });

  test('[python.refused] PyPy runs untraced', async () => {
    const { daemon } = await launched({ command: python, args: ['-c', ''] });
    const command = join(daemon.home.project, 'pypy3.10');
    copyFileSync('/bin/true', command);
    const { end } = await launched({ command, patterns: ['tally'] });
    const text = await end();
    expect(text).toContain('exited with code 0');
    expect(text).toMatch(/it is PyPy/);
  });

  test('[python.unmatched] a pattern that means nothing names what is near', async () => {
    const { answer } = await launched({
      command: python,
      args: ['-m', 'shop'],
      patterns: ['taly'],
    });
    expect(answer.text).toMatch(/shop\.tally\.tally/);
  });

  test('[python.unmatched] a function of a module that is not imported yet waits for it', async () => {
    const { daemon, sessionId, status, end } = await launched({
      command: python,
      args: [join(folder, 'late.py')],
      stdin: 'open',
    });
    await expect.poll(status, { timeout: 20_000 }).toMatch(/out\| ready/);
    expect(await status()).toMatch(
      /hooked when shop\/tally\.py is loaded|hooked when tally\.py is loaded/,
    );
    await daemon.ok('debug_session', { action: 'input', sessionId, text: 'go\n' });
    await end();
    const calls = await callsOf(daemon, sessionId);
    expect(calls.map((call) => call.returns)).toEqual([2]);
  });
});
