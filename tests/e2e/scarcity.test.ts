import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { startClient, type TestClient } from '../support/client.ts';
import { testFolder } from '../support/folder.ts';
import { openHome, type TestHome } from '../support/home.ts';
import { itNeeds } from '../support/needs.ts';
import { isAlive, until } from '../support/processes.ts';
import { linesOf } from '../support/calls.ts';
import { at, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen, runToEnd, statusSays } from '../support/runs.ts';
import { Running } from '../support/running.ts';
import { SmallDisk, withSharedMemory } from '../support/smallDisk.ts';
import { runStrobe } from '../support/strobe.ts';
import { testHome } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';
import { expectContinued, startTicker } from '../support/ticker.ts';

/** Both go with the test, the home first. */
function homeOnSmallDisk(): { disk: SmallDisk; home: TestHome } {
  const disk = new SmallDisk(32);
  const home = openHome({}, disk.path);
  onTestFinished(async () => {
    await home.close();
    await disk[Symbol.asyncDispose]();
  });
  return { disk, home };
}

/** A client whose programs find no room in /dev/shm. */
async function withoutSharedMemory(): Promise<{ client: TestClient; home: TestHome }> {
  const home = testHome();
  return { client: await startClient(home, 'v1', withSharedMemory(8, 8)), home };
}

describe('when something runs out', () => {
  itNeeds(
    'mounts',
    '[scarcity.disk] a full disk costs neither program nor session, is told, and capture goes on when there is room',
    async () => {
      const { disk, home } = homeOnSmallDisk();
      const ticker = await startTicker({ home });
      const { client, sessionId, pid } = ticker;
      const before = await ticker.ticks();

      disk.fill();
      await statusSays(client, sessionId, /The store cannot be written: .*full/);
      expect(isAlive(pid)).toBe(true);
      const meanwhile = await ticker.ticks();
      expect(meanwhile.slice(0, before.length)).toEqual(before);
      const refused = await client.refused('debug_launch', {
        command: buildTarget('e2e/ticker.cpp'),
        projectRoot: home.project,
      });
      expect(refused.text).toMatch(/^STORE_FAILED: .*full[\s\S]*free space/);

      disk.empty();
      const told = await statusSays(client, sessionId, /could not be written for a while/);
      expect(told).not.toMatch(/cannot be written/);
      await ticker.goesOn();
      expectContinued(meanwhile, await ticker.ticks());
      await ticker.stop();
    },
  );

  itNeeds(
    'mounts',
    '[scarcity.disk] of programs that begin and end on a full disk those that were not kept are counted, and the last end is told',
    async () => {
      const { disk, home } = homeOnSmallDisk();
      const client = await startClient(home);
      const elsewhere = testFolder();
      const over = join(elsewhere, 'over');
      const programs = 800;
      const loop = `for i in $(seq ${programs}); do /bin/true ${'a'.repeat(80)}; done; echo >$1`;
      const { sessionId } = await launch(client, home, '/bin/bash', {
        args: ['-c', `echo ready; read x; ${loop}; read x; exit 7`, 'bash', over],
        stdin: 'open',
      });
      await outputSeen(client, sessionId, 'ready');
      disk.fill();
      const input = { action: 'input', sessionId, text: '\n' };
      await client.ok('debug_session', input);
      await until('all of them have ended', () => {
        // The daemon, which has just begun, may remove files of its own.
        disk.fill();
        return existsSync(over);
      });
      disk.empty();
      await client.ok('debug_session', input);
      expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 7 });
      const sql = "SELECT count(*) FROM events WHERE event_type = 'process'";
      const { structured, text } = await client.ok('debug_query', { view: 'sql', sessionId, sql });
      const unkept = numberAt(structured, 'counters', 'byCause', 'factsUnkept');
      expect(unkept).toBeGreaterThan(0);
      expect(unkept + numberAt(structured, 'rows', 0, 0)).toBeGreaterThanOrEqual(2 * programs);
      expect(text).toMatch(/PROCESSES LOST/);
      await client.close();
    },
  );

  itNeeds(
    'mounts',
    '[scarcity.disk] the end of an attached program is told when there is room again',
    async () => {
      const { disk, home } = homeOnSmallDisk();
      const client = await startClient(home);
      const starts =
        'trap "exit 7" TERM; while read -r text; do sleep 61 "$text"s & echo started; done';
      await using program = await Running.start('/bin/sh', ['-c', starts]);
      const launched = await client.ok('debug_launch', { pid: program.pid });
      const sessionId = textAt(launched.structured, 'sessionId');
      disk.fill();
      // More than there is room for in the block that the log ends in.
      for (const children of [1, 2]) {
        program.write(`${'0'.repeat(3000)}${children}\n`);
        await until('it is started', () => program.stdout.split('started').length > children);
        await client.ok('debug_session', { action: 'status', sessionId });
      }
      disk.empty();
      await vi.waitFor(
        async () => {
          const status = await client.ok('debug_session', { action: 'status', sessionId });
          expect(numberAt(status.structured, 'processes', 'running')).toBe(3);
        },
        { timeout: 20_000 },
      );
      program.signal('SIGTERM');
      expect(await exitOf(client, sessionId)).toMatchObject({ kind: 'exited', code: 7 });
      await client.close();
    },
  );

  itNeeds('mounts', '[scarcity.shared-memory] 64 MB of shared memory are enough', async () => {
    const ticker = await startTicker({
      client: (home) => startClient(home, 'v1', withSharedMemory(64)),
    });
    expect((await ticker.ticks()).length).toBeGreaterThan(0);
    expect(numberAt(await ticker.stop(), 'counters', 'lost')).toBe(0);
  });

  itNeeds(
    'mounts',
    '[scarcity.shared-memory] without any the program runs on, and what could not be recorded is told',
    async () => {
      const { client, home } = await withoutSharedMemory();
      const { sessionId, text } = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
        patterns: ['clockwork::**'],
      });
      await outputSeen(client, sessionId, 'round 3');
      expect(text).toMatch(/untraced[\s\S]*no room in \/dev\/shm/);
      const stopped = await client.ok('debug_session', { action: 'stop', sessionId });
      expect(at(stopped.structured, 'exit')).toEqual({ kind: 'exited', code: 0 });
      await client.close();
    },
  );

  itNeeds(
    'mounts',
    '[scarcity.shared-memory] [children.descriptors] what runs untraced for want of it gets the descriptors of an untraced run',
    async () => {
      const { client, home } = await withoutSharedMemory();
      const numbers = buildTarget('e2e/numbers.c', ['-g']);
      for (const [command, ...args] of [[numbers], ['sh', '-c', `${numbers}; exit $?`]]) {
        const alone = spawnSync(command ?? '', args, { encoding: 'utf8' });
        const run = await runToEnd(client, home, command ?? '', { args, patterns: ['leafWork'] });
        expect(run.exit).toEqual({ kind: 'exited', code: alone.status });
        const lines = (await linesOf(client, run.sessionId)).map((line) => line.text);
        expect(lines).toEqual(alone.stdout.trimEnd().split('\n'));
      }
      await client.close();
    },
  );

  itNeeds(
    'mounts',
    '[scarcity.read-only] a home that cannot be written is told at once',
    async () => {
      const disk = new SmallDisk(4);
      onTestFinished(() => disk[Symbol.asyncDispose]());
      const path = join(disk.path, 'home');
      mkdirSync(path, { mode: 0o700 });
      disk.makeReadOnly();
      const place = {
        env: { PATH: process.env['PATH'] ?? '', STROBE_HOME: path },
        cwd: '/',
      };
      const listed = await runStrobe(place, ['session', 'list'], '', 15_000);
      expect(listed.code).not.toBe(0);
      expect(listed.stderr).toMatch(/HOME_READ_ONLY: .*read-only[\s\S]*STROBE_HOME/);
    },
  );
});
