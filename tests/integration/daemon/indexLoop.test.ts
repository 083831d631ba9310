import { closeSync, fstatSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { IndexLoop } from '../../../src/daemon/indexing/indexLoop.ts';
import type { FromIndex, IndexWorkerOptions } from '../../../src/daemon/indexing/indexMessages.ts';
import type { RaisedException } from '../../../src/model/endings/exception.ts';
import { TemporaryFolder } from '../db/randomSession.ts';

test('[exceptions.cpp] an exception is committed soon, also when nothing else happens', async () => {
  using folder = new TemporaryFolder();
  const outputLog = folder.file('output.log');
  writeFileSync(outputLog, '');
  let tell: (message: FromIndex) => void = () => undefined;
  const committed = new Promise<FromIndex>((resolve) => (tell = resolve));
  const loop = IndexLoop.start(
    {
      sessionId: 's',
      storePath: folder.file('session.db'),
      outputLog,
      startNs: '0',
      maxEvents: 1000,
      maxOutputBytes: 1000,
      secretNames: [],
      terminal: false,
      continues: false,
    },
    (message) => {
      if (message.type === 'progress') tell(message);
    },
  );
  const exception: RaisedException = {
    key: '1.2.3',
    time: 5,
    pid: 1,
    tid: 1,
    language: 'C++',
    type: 'int',
    message: '7',
    isMessageFound: false,
    isAgain: false,
    frames: [],
    end: { kind: 'open' },
  };
  loop.answer({ type: 'exception', request: 1, exception });
  expect((await committed).type).toBe('progress');
  loop.close();
});

function optionsIn(folder: TemporaryFolder, continues: boolean): IndexWorkerOptions {
  const outputLog = folder.file('output.log');
  return {
    sessionId: 's',
    storePath: folder.file('session.db'),
    outputLog,
    startNs: '0',
    maxEvents: 1000,
    maxOutputBytes: 1000,
    secretNames: [],
    terminal: false,
    continues,
  };
}

test('[session.detach] what comes after the end of a session touches no file that is another’s by then', () => {
  using folder = new TemporaryFolder();
  const options = optionsIn(folder, false);
  writeFileSync(options.outputLog, '');
  const loop = IndexLoop.start(options, () => undefined);
  loop.close();
  // They get the numbers that were closed.
  const others = Array.from({ length: 8 }, () => openSync(options.outputLog, 'r'));
  loop.outputGrown();
  expect(() => loop.answer({ type: 'settle', request: 2, final: false })).toThrow('closed');
  loop.close();
  for (const other of others) {
    expect(fstatSync(other).isFile()).toBe(true);
    closeSync(other);
  }
});

test('[scarcity.disk] a store that cannot be gone on with, because its output is gone, leaves no file open', () => {
  using folder = new TemporaryFolder();
  const options = optionsIn(folder, false);
  writeFileSync(options.outputLog, '');
  IndexLoop.start(options, () => undefined).close();
  rmSync(options.outputLog);
  const open = (): number => readdirSync('/proc/self/fd').length;
  const before = open();
  for (let times = 0; times < 5; times++)
    expect(() => IndexLoop.start({ ...options, continues: true }, () => undefined)).toThrow(
      'output log',
    );
  expect(open()).toBe(before);
});
