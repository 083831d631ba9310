import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { itNeeds } from '../../support/needs.ts';
import { OwnDaemon } from '../../support/ownDaemon.ts';
import { textAt } from '../../support/read.ts';
import { packageRoot } from '../../support/strobe.ts';

/** Runs a program that no tracer knows functions of, to its end. */
async function runUntraced(name: string, file: string): Promise<void> {
  const daemon = await OwnDaemon.start([]);
  onTestFinished(async () => daemon.close());
  const launched = await daemon.ok('debug_launch', {
    command: join(packageRoot, '.cache/frameworks/node_modules', file),
    args: ['--version'],
    projectRoot: daemon.home.project,
    patterns: ['@usercode'],
  });
  expect(launched.text).toContain(`it is ${name}, whose functions no tracer knows yet`);
  const sessionId = textAt(launched.structured, 'sessionId');
  await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 20_000 });
  const { text } = await daemon.ok('debug_query', { sessionId, view: 'output' });
  expect(text).toMatch(/\d+\.\d+\.\d+/);
}

itNeeds('deno', '[node.others] says that functions of Deno are not traced', async () => {
  await runUntraced('Deno', 'deno/deno');
});

itNeeds('bun', '[node.others] says that functions of Bun are not traced', async () => {
  await runUntraced('Bun', 'bun/bin/bun.exe');
});
