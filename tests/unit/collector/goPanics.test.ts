import { expect, test } from 'vitest';
import { GoPanics } from '../../../src/collector/exceptions/goPanics.ts';
import type { SeenException } from '../../../src/collector/exceptions/readExceptionFile.ts';
import type { Value } from '../../../src/model/questions/query.ts';
import type { ValueType } from '../../../src/model/values/valueType.ts';
import { processorNamed } from '../../../src/model/processors.ts';

const { registers } = processorNamed(process.arch);

const unread: Value = { kind: 'null' };

/** A panic in a program at 0x1000, as it is written down without its value. */
const raised: SeenException = {
  kind: 'raised',
  monotonicNs: 0n,
  pid: 1,
  tid: 1,
  exception: 1n,
  language: 'Go',
  type: '',
  message: Buffer.alloc(0),
  messageIs: 'none',
  registers: registers.map(() => 0x1000n),
  stack: new Uint8Array(),
  mappings: [
    {
      start: 0x1000n,
      end: 0x2000n,
      offset: 0n,
      protection: 'r-xp',
      path: '/program',
      isDeleted: false,
    },
  ],
};

/** Panics of a program whose symbols say this of runtime.gopanic. */
async function notesOf(types: readonly ValueType[]): Promise<readonly string[]> {
  const notes: string[] = [];
  const found = { value: { functions: [{ parameters: types.map((type) => ({ type })) }] } };
  const parts = {
    code: { find: async () => found },
    values: { decode: () => unread, text: () => '' },
    warn: () => undefined,
  };
  const session = { startNs: 0n, limits: { secretNames: [] } };
  const panics = new GoPanics(session, parts, (text) => notes.push(text));
  const panic = await panics.panicOf(raised);
  expect(panic).toEqual({ type: null, message: null, isMessageFound: false });
  return notes;
}

test('[go.panic-events] a panic that began before the types were read says why its value is missing', async () => {
  const type: ValueType = { kind: 'tree', name: 'any', depth: 1, root: 0, shapes: [] };
  expect(await notesOf([type])).toEqual([
    expect.stringMatching(/began before the types of the program were read/),
  ]);
  // A stripped program has no types.
  expect(await notesOf([])).toEqual([]);
});
