import { dirname } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { OwnDaemon } from '../support/ownDaemon.ts';
import { pythons } from '../support/pythons.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { targetSource } from '../support/targets.ts';

describe.each(pythons.map(({ name, path }) => [name, path] as const))(
  'a stuck Python %s',
  (_name, path) => {
    test('[python.stuck] shows stacks of threads and tasks, what they wait for, and who holds the locks', async () => {
      const daemon = await OwnDaemon.start([]);
      onTestFinished(async () => daemon.close());
      const source = targetSource('python/stuck.py');
      const launched = await daemon.ok('debug_launch', {
        command: path,
        args: [source],
        projectRoot: dirname(source),
      });
      const sessionId = textAt(launched.structured, 'sessionId');
      const status = async () => await daemon.ok('debug_session', { action: 'status', sessionId });
      await expect
        .poll(async () => (await status()).text, { timeout: 30_000 })
        .toMatch(/DEADLOCK[^]*task\d+ Task-1 .*gather/);
      const { text, structured } = await status();
      const deadlock = listAt(structured, 'now', 'deadlock').map(Number);
      const names = deadlock.map((tid) =>
        listAt(structured, 'now', 'threads')
          .filter((thread) => at(thread, 'tid') === tid)
          .map((thread) => textAt(thread, 'name')),
      );
      expect(names.flat().toSorted()).toEqual(['first', 'second']);
      expect(text).toMatch(
        /thread first .* waits for the Lock ledger\.lock that thread \d+ holds: first stuck\.py:17/,
      );
      expect(text).toMatch(
        /thread second .* waits for the Lock accounts that thread \d+ holds: second stuck\.py:24/,
      );
      expect(text).toMatch(
        /thread fourth .* waits for the RLock ledger\.again that thread \d+ holds: fourth stuck\.py:34/,
      );
      expect(text).toMatch(
        /thread sixth .* waits for the Lock taken that thread \d+ took at stuck\.py:65 and has not released there: sixth stuck\.py:75/,
      );
      expect(text).toMatch(
        /thread seventh .* waits for the Lock lent \(which thread holds it cannot be known: a Lock keeps no owner\): seventh stuck\.py:85/,
      );
      expect(text).toMatch(/thread third .* waits for the end of a sleep.*: third stuck\.py:30/);
      expect(text).toMatch(
        /task\d+ wanter waits for a Lock that task holder holds: wants stuck\.py:44/,
      );
      expect(text).toMatch(/task\d+ holder waits for asyncio sleep: holds stuck\.py:40/);
      expect(text).toMatch(/task\d+ Task-\d waits for asyncio Queue\.get: takes stuck\.py:49/);
      expect(text).toMatch(/task\d+ Task-1 waits for 3 awaitables of gather: main stuck\.py:60/);
    });
  },
);
