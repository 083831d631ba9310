import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { at, listAt } from '../support/read.ts';
import { launch, outputSeen, runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { targetSource } from '../support/targets.ts';

describe("Java's virtual machine", () => {
  const { home, client } = withClient();
  const patterns = ['libc.so.6!malloc'];

  /** The folder with the classes of a source. */
  function compile(name: string): string {
    const folder = join(home.project, 'classes');
    execFileSync('javac', ['-nowarn', '-d', folder, targetSource(`hazards/${name}.java`)], {
      stdio: 'pipe',
    });
    return folder;
  }

  itNeeds(
    'java',
    '[trace.hazards] [crash.handled] null checks, collections, threads and a full stack of Java are as untraced',
    async () => {
      const classes = compile('NullChecks');
      for (const collector of ['-XX:+UseSerialGC', '-XX:+UseG1GC']) {
        const args = [collector, '-cp', classes, 'NullChecks'];
        const plain = await runProgram({ env: home.env, cwd: home.project }, ['java', ...args]);
        expect(plain.code).toBe(7);
        const { sessionId, exit } = await runToEnd(client, home, 'java', { args, patterns });
        expect(exit).toEqual({ kind: 'exited', code: plain.code });
        const said = await client.ok('debug_query', { view: 'output', sessionId });
        for (const line of plain.stdout.toString().trimEnd().split('\n'))
          expect(said.text).toContain(line);
        const crash = await client.ok('debug_query', { view: 'crash', sessionId });
        expect(crash.text).toContain('Nothing crashed.');
        expect(at(crash.structured, 'crashed')).toBe(false);
        const stats = await client.ok('debug_query', { view: 'stats', sessionId });
        expect(stats.text).toMatch(/malloc/);
      }
    },
  );

  itNeeds(
    'java',
    '[crash.handled] a fault in native code ends it as untraced, with its own report, and is told',
    async () => {
      const classes = compile('NullChecks');
      const own = join(home.project, 'hs_err.log');
      const args = [`-XX:ErrorFile=${own}`, '-cp', classes, 'NullChecks', 'dies'];
      const { sessionId, exit } = await runToEnd(client, home, 'java', { args, patterns });
      expect(exit).toMatchObject({ kind: 'signalled', signal: 'SIGABRT' });
      expect(existsSync(own)).toBe(true);
      const { text } = await client.ok('debug_query', { view: 'crash', sessionId });
      expect(text).toMatch(/at work for SIGSEGV in Unsafe_Put\w+/);
      expect(text).toMatch(/it said: Java's virtual machine: SIGSEGV .*, in V {2}\[libjvm\.so\+/);
      expect(text).toContain(`with the stacks of Java: ${own}`);
    },
  );

  itNeeds(
    'java',
    '[crash.stuck] threads that wait for Java’s monitors wait in its virtual machine, and who asks it is told',
    async () => {
      const args = ['-cp', compile('Monitors'), 'Monitors'];
      const { sessionId } = await launch(client, home, 'java', { args, patterns: [] });
      await outputSeen(client, sessionId, 'begun');
      const fits = /thread left \(\d+\) waits for a condition variable.*ObjectMonitor::EnterI/;
      const { text, structured } = await vi.waitFor(
        async () => {
          const status = await client.ok('debug_session', { action: 'status', sessionId });
          expect(status.text).toMatch(fits);
          expect(status.text).toMatch(/thread right \(\d+\) waits .*ObjectMonitor::EnterI/);
          return status;
        },
        { timeout: 60_000, interval: 100 },
      );
      const now = at(structured, 'now');
      expect(at(now, 'deadlock')).toBeNull();
      expect(listAt(now, 'threads').length).toBeGreaterThan(4);
      expect(text).toMatch(/jcmd \d+ Thread\.print/);
      await client.ok('debug_session', { action: 'stop', sessionId, graceMs: 0 });
    },
  );
});
