/** Writes random calls until it is killed; tells after each commit how many calls are in it. */
import { writeSync } from 'node:fs';
import { RandomSession } from './randomSession.ts';

const session = new RandomSession(process.argv[2] ?? '', 99, { blockCalls: 1024 });
for (;;) {
  session.step(2000);
  session.commit();
  writeSync(1, `${session.calls.length}\n`);
}
