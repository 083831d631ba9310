import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callsOf } from '../../support/calls.ts';
import { OwnDaemon } from '../../support/ownDaemon.ts';
import { textAt } from '../../support/read.ts';
import { engine, writerFlags } from '../../support/scenes.ts';
import { buildTarget, targetSource } from '../../support/targets.ts';
import { toyRuntime, toySocket } from '../../support/toyRuntime.ts';
import { tracerConformance } from './conformance.ts';

const program = buildTarget('tracers/toy.c', writerFlags);
const script = targetSource('tracers/conform.toy');
const runtime = toyRuntime(program, script, engine);
const secretScript = targetSource('tracers/secret.toy');
const secretRuntime = toyRuntime(program, secretScript, engine);

describe('toy [runtimes.conformance]', () => {
  tracerConformance({
    runtime,
    capabilities: runtime.tracers.capabilities,
    program: () => ({ command: program, args: [script] }),
    isWhole: false,
    projectRoot: dirname(script),
    fingerprint: (pid) => String(existsSync(toySocket(pid))),
  });
});

test('[runtimes.mixed] a toy call that waits is not the caller of what runs meanwhile', async () => {
  const daemon = await OwnDaemon.start([runtime]);
  onTestFinished(async () => daemon.close());
  const launched = await daemon.ok('debug_launch', {
    command: program,
    args: [script],
    projectRoot: dirname(script),
    patterns: ['steps', 'work', 'inner'],
    stdin: { text: 'steps 2\n' },
  });
  const sessionId = textAt(launched.structured, 'sessionId');
  await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 40_000 });
  const seen = await callsOf(daemon, sessionId);
  const name = (id: string | null) => seen.find((call) => call.id === id)?.function ?? null;
  expect(seen.map((call) => [call.function, call.returns, name(call.parent)])).toEqual([
    ['steps', 4, null],
    ['work', 100, null],
    ['work', 101, null],
    ['inner', 4, 'steps'],
  ]);
});

test.each([true, false])(
  '[dynamic.secrets] what a runtime tells of a secret is kept only where the launch allows it (redact: %s)',
  async (redact) => {
    const daemon = await OwnDaemon.start([secretRuntime]);
    onTestFinished(async () => daemon.close());
    const launched = await daemon.ok('debug_launch', {
      command: program,
      args: [secretScript],
      projectRoot: dirname(script),
      patterns: ['add'],
      stdin: { text: 'add 2 31337\nadd 3 27182\n' },
      redact,
    });
    const sessionId = textAt(launched.structured, 'sessionId');
    await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 40_000 });
    const of = (view: string, more = {}): Promise<{ readonly text: string }> =>
      daemon.ok('debug_query', { view, sessionId, ...more });
    const [events, tree, rows] = [
      await of('events', { verbose: true }),
      await of('tree'),
      await of('sql', {
        sql: "SELECT json_extract(arguments, '$.password') AS p FROM calls ORDER BY p",
      }),
    ];
    const texts = [events, tree, rows].map(({ text }) => text).join();
    const seen = await callsOf(daemon, sessionId);
    const secret = '<redacted: named "password">';
    expect(seen.map((call) => call.arguments['password'])).toEqual(
      redact ? [secret, secret] : [31337, 27182],
    );
    expect(texts.includes('31337')).toBe(!redact);
    await expectConditionsOf(daemon, redact);
    const asked = of('events', { argument: [{ name: 'password', equals: 31337 }] });
    if (redact) await expect(asked).rejects.toThrow('is not captured: redacted');
    else expect((await asked).text).toContain('31337');
  },
);

/** Which calls meet a condition on a secret says what it is: such a condition is left out, and the answer says so. */
async function expectConditionsOf(daemon: OwnDaemon, redact: boolean): Promise<void> {
  const launched = await daemon.ok('debug_launch', {
    command: program,
    args: [secretScript],
    projectRoot: dirname(script),
    patterns: [{ pattern: 'add', when: 'password == 31337' }],
    stdin: { text: 'add 2 31337\nadd 3 27182\n' },
    redact,
  });
  const sessionId = textAt(launched.structured, 'sessionId');
  await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 40_000 });
  expect((await callsOf(daemon, sessionId)).map((call) => call.returns)).toEqual(
    redact ? [31339, 27185] : [31339],
  );
  expect(launched.text.includes('password looks like a secret')).toBe(redact);
}
