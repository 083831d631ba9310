import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { ringDirectory } from '../../src/collector/rings/ringFolder.ts';
import { itNeeds } from '../support/needs.ts';
import { until } from '../support/processes.ts';
import { at } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

const MB = 1 << 20;

describe('rings of programs of Go', () => {
  const { home, client } = withClient();

  itNeeds(
    'go',
    '[go.ring-memory] memory is taken ahead of a thread that keeps recording, not of one that records little',
    async () => {
      const { sessionId } = await launch(client, home, buildTarget('e2e/recordsMore.go'), {
        patterns: [{ pattern: 'main.step', sampling: 'off' }],
        stdin: 'open',
      });
      const folder = ringDirectory(sessionId);
      const taken = (): number =>
        readdirSync(folder)
          .filter((name) => name.endsWith('.ring'))
          .reduce((sum, name) => sum + statSync(join(folder, name)).blocks * 512, 0);
      const make = async (count: number): Promise<void> => {
        const text = `${count}\n`;
        await client.ok('debug_session', { action: 'input', sessionId, text });
        await outputSeen(client, sessionId, `made ${count} `);
      };
      await make(100);
      expect(taken()).toBeLessThan(2 * MB);
      // A call takes 96 bytes: nearly two of the parts that threads take.
      await make(20_000);
      await until('memory is taken ahead', () => taken() >= 5 * MB);
      await make(60_000);
      await until('memory is taken ahead again', () => taken() >= 8 * MB);
      // More than the ring that a thread begins in holds: it continues in a larger one.
      await make(150_000);
      const { structured } = await client.ok('debug_query', { sessionId, view: 'stats' });
      expect(at(structured, 'counters')).toMatchObject({ stored: 2 * 230_100, lost: 0 });
      await client.ok('debug_session', { action: 'stop', sessionId, graceMs: 0 });
    },
  );
});
