import { expect, test } from 'vitest';
import { NodeStanding, type StandingReading } from '../../../src/collector/node/nodeStanding.ts';
import { ToldValues } from '../../../src/collector/source/toldValues.ts';
import { noNames } from '../../../src/model/decoding/dynamic.ts';

const standing = { pid: process.pid, tid: process.pid, number: 1 };
const reading: StandingReading = {
  pid: process.pid,
  projectRoot: '/project',
  values: () => new ToldValues('javascript', [], noNames),
  idOf: () => null,
  argumentsOf: () => Promise.resolve(new Set()),
};

test('[stop.node] a thread that is asked to move on while it works out a value says that value, and moves on as it was asked', async () => {
  const said = { keys: [], frames: [], depth: 0, awaiting: [] };
  const thread = await NodeStanding.come({ standing, said }, said, reading);
  let isOver = false;
  void thread.closed.then(() => (isOver = true));
  const first = thread.order({ standing, said });
  const value = thread.evaluate(0, { kind: 'name', name: 'x' });
  expect(await first).toMatchObject({ do: 'evaluate', names: ['x'] });
  await thread.step('over');
  // What comes from the thread now is for it.
  expect(isOver).toBe(false);
  expect(await thread.order({ standing, answer: null })).toEqual({ do: 'step', kind: 'over' });
  expect(await value).toBe(null);
  await thread.closed;
});
