import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { itNeeds } from '../../support/needs.ts';
import { OwnDaemon } from '../../support/ownDaemon.ts';
import { textAt } from '../../support/read.ts';
import { packageRoot } from '../../support/strobe.ts';

const programs = [
  ['deno', 'Deno', 'deno/deno'],
  ['bun', 'Bun', 'bun/bin/bun.exe'],
] as const;

for (const [need, name, file] of programs)
  itNeeds(
    need,
    `[node.others] says that functions of ${name} are not traced, and what would be`,
    async () => {
      const daemon = await OwnDaemon.start([]);
      onTestFinished(async () => daemon.close());
      const launched = await daemon.ok('debug_launch', {
        command: join(packageRoot, '.cache/frameworks/node_modules', file),
        args: ['--version'],
        patterns: ['@usercode'],
        waitFor: ['exit'],
      });
      expect(launched.text).toContain(
        `cannot be traced: it is ${name}, whose functions no tracer knows yet`,
      );
      const sessionId = textAt(launched.structured, 'sessionId');
      await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 20_000 });
      const { text } = await daemon.ok('debug_query', { sessionId, view: 'output' });
      expect(text).toMatch(/\d+\.\d+\.\d+/);
    },
  );
