import { expect, test } from 'vitest';
import { SessionProcesses } from '../../../src/daemon/session/sessionProcesses.ts';
import type { LifeRecord } from '../../../src/daemon/indexing/indexMessages.ts';

const main = { command: ['make'], image: '/usr/bin/make' };

function fed(...records: readonly LifeRecord[]): SessionProcesses {
  const processes = new SessionProcesses();
  for (const record of records) processes.take(record, main);
  return processes;
}

const exec = (pid: number, time: number, ...argv: readonly string[]): LifeRecord => ({
  kind: 'exec',
  time,
  pid,
  parent: 1,
  path: `/bin/${argv[0] ?? ''}`,
  argv,
  unprivileged: false,
});

const exited = (pid: number, time: number, code: number): LifeRecord => ({
  kind: 'exited',
  time,
  pid,
  exit: { kind: 'exited', code },
});

test('failed ones come first, alike ones are one', () => {
  const processes = fed(
    { kind: 'started', time: 0, pid: 1 },
    exec(2, 1, 'cc', 'a.c'),
    exited(2, 2, 0),
    exec(3, 3, 'cc', 'a.c'),
    exited(3, 4, 0),
    exec(4, 5, 'cc', 'b.c'),
    exited(4, 6, 1),
    exec(5, 7, 'ld'),
    { kind: 'gone', time: 8, pid: 5 },
  );
  const { shown, ...counts } = processes.view();
  expect(counts).toEqual({ running: 1, ended: 4, failed: 1 });
  expect(shown.map(({ pid, alike, ended }) => [pid, alike, ended?.exit])).toEqual([
    [4, 1, { kind: 'exited', code: 1 }],
    [1, 1, undefined],
    [5, 1, null],
    [3, 2, { kind: 'exited', code: 0 }],
  ]);
});

test('why a program is untraced may be told before its exec and after its end', () => {
  const processes = fed({ kind: 'started', time: 0, pid: 1 }, exec(2, 1, 'sh'));
  const reason = 'its stack limit is 48 KB';
  processes.traced(2, { kind: 'untraced', reason }, '/bin/cc');
  processes.take(exec(2, 2, 'cc'), main);
  processes.take(exec(3, 3, 'ld'), main);
  processes.take(exited(3, 4, 0), main);
  processes.traced(3, { kind: 'untraced', reason }, '/bin/ld');
  const { shown } = processes.view();
  expect(shown.map(({ pid, tracing }) => [pid, tracing])).toEqual([
    [2, { kind: 'untraced', reason }],
    [1, { kind: 'untraced', reason: null }],
    [3, { kind: 'untraced', reason }],
  ]);
});

test('a process number that is used again is another process; another program is the same', () => {
  const processes = fed(
    { kind: 'started', time: 0, pid: 1 },
    exec(2, 1, 'sh'),
    exec(2, 2, 'cc'),
    exited(2, 3, 0),
    exec(2, 4, 'ld'),
  );
  const { shown } = processes.view();
  expect(shown.map(({ command, programs }) => [command, programs])).toEqual([
    [['ld'], 1],
    [['make'], 1],
    [['cc'], 2],
  ]);
});

test('what is decided at an exec waits for the record of that exec', () => {
  const processes = fed({ kind: 'started', time: 0, pid: 1 });
  processes.traced(2, { kind: 'traced', hooked: 7 }, '/bin/cc');
  processes.take(exec(2, 1, 'sh'), main);
  const tracing = () => processes.view().shown.find(({ pid }) => pid === 2)?.tracing;
  expect(tracing()).toEqual({ kind: 'untraced', reason: null });
  processes.take(exec(2, 2, 'cc'), main);
  expect(tracing()).toEqual({ kind: 'traced', hooked: 7 });
});
