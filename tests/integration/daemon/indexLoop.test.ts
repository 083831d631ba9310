import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { IndexLoop } from '../../../src/daemon/session/indexLoop.ts';
import type { FromIndex } from '../../../src/daemon/session/indexMessages.ts';
import { TemporaryFolder } from '../db/randomSession.ts';

test('[exceptions.cpp] an exception is committed soon, also when nothing else happens', async () => {
  using folder = new TemporaryFolder();
  const outputLog = folder.file('output.log');
  writeFileSync(outputLog, '');
  let tell: (message: FromIndex) => void = () => undefined;
  const committed = new Promise<FromIndex>((resolve) => (tell = resolve));
  const loop = IndexLoop.start(
    {
      ...{ sessionId: 's', storePath: folder.file('session.db'), outputLog, startNs: '0' },
      ...{ maxEvents: 1000, maxOutputBytes: 1000, terminal: false, continues: false },
    },
    (message) => {
      if (message.type === 'progress') tell(message);
    },
  );
  const exception = {
    ...{ key: '1.2.3', time: 5, pid: 1, text: 'thrown' },
    facts: {
      ...{ tid: 1, type: 'int', message: '7', end: 'open' as const },
      ...{ passed: [], caughtIn: null, stack: [] },
    },
  };
  loop.answer({ type: 'exception', request: 1, exception });
  expect((await committed).type).toBe('progress');
  loop.answer({ type: 'close', request: 2 });
});
