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

describe('toy [runtimes.conformance]', () => {
  tracerConformance({
    runtime,
    capabilities: runtime.tracers.capabilities,
    program: () => ({ command: program, args: [script] }),
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
