import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { numberAt, textAt } from '../support/read.ts';
import { Running } from '../support/running.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

const { home, client } = withClient();

/** Asks for the next start of a program, and starts it a moment later. */
async function attachedTo(
  request: Readonly<Record<string, unknown>>,
  start: () => Promise<Running>,
) {
  // The daemon runs: only then the wait begins at once.
  await client.ok('debug_session', { action: 'list' });
  const asked = client.ok('debug_launch', request);
  // It may be refused before anyone awaits it.
  asked.catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await using running = await start();
  const { structured, text } = await asked;
  expect(numberAt(structured, 'pid')).toBe(running.pid);
  const sessionId = textAt(structured, 'sessionId');
  const isCalled = request['patterns'] !== undefined;
  if (isCalled) {
    const waited = { action: 'wait', sessionId, for: ['event'], timeoutMs: 20_000 };
    await client.ok('debug_session', waited);
  }
  await client.ok('debug_session', { action: 'detach', sessionId });
  return { text, sessionId };
}

test('[attach.next] the next start of a program is attached to, by a shell as well: no instance that ran before, and no fork', async () => {
  const program = buildTarget('e2e/beats.c');
  const files = ['one', 'two'].map((name) => join(home.project, name));
  await using before = await Running.start(program, files.slice(0, 1));
  const { text, sessionId } = await attachedTo({ next: program, patterns: ['beat'] }, () =>
    Running.start('/bin/sh', ['-c', `sleep 0.3; exec ${program} ${files[1]}`]),
  );
  expect(text).toContain('its first calls are missing');
  const [call] = await callsOf(client, sessionId, { limit: 1 });
  expect(call?.function).toBe('beat');
  expect(before.stderr).toBe('');
});

test('[attach.next] a script is known by its name; what does not begin is said, with the next step', async () => {
  const file = join(home.project, 'ticker.py');
  writeFileSync(file, 'import sys\nprint("ticks", flush=True)\nsys.stdin.read()\n');
  await attachedTo({ next: 'ticker.py' }, () => Running.start('python3', [file], 'ticks'));
  const { text } = await attachedTo({ next: 'ticker.py', waitFor: 'idle' }, () =>
    Running.start('python3', [file], 'ticks'),
  );
  expect(text).toContain('its first calls are missing');
  const none = await client.call('debug_launch', { next: 'nosuchprogram', waitMs: 50 });
  expect(none.text).toMatch(/^TIMED_OUT: No process began to run nosuchprogram within 50 ms/);
  expect(none.text).toMatch(/\nNext: .*debug_launch/);
});
