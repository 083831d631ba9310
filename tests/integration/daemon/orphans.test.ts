import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { startTimeOf } from '../../../src/base/proc.ts';
import { orphansOf } from '../../../src/daemon/session/orphans.ts';

it('[session.supervisor-lost] what began before a program is none of its orphans, although its session has the number', async () => {
  const shell = spawn('/bin/sh', ['-c', 'sleep 600 <&- >&- 2>&- & echo $!; read x'], {
    detached: true,
  });
  const left = await new Promise<number>((resolve) =>
    shell.stdout.once('data', (line: Buffer) => resolve(Number(line.toString()))),
  );
  onTestFinished(() => void process.kill(left, 'SIGKILL'));
  const pid = shell.pid ?? 0;
  const startTime = startTimeOf(pid);
  expect(new Set(orphansOf({ pid, startTime }))).toEqual(new Set([pid, left]));
  shell.stdin.end();
  await once(shell, 'exit');
  expect(orphansOf({ pid, startTime })).toEqual([left]);
  // As of a program of an earlier boot that ran for longer.
  const later = String(Number(startTimeOf(left)) + 1);
  expect(orphansOf({ pid, startTime: later })).toEqual([]);
});
