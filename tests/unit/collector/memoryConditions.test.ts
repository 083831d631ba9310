import { expect, test } from 'vitest';
import {
  ringRoom,
  whyNoMemory,
  type MemoryFacts,
} from '../../../src/collector/program/memoryConditions.ts';

const megabyte = 2 ** 20;
const usual: MemoryFacts = {
  group: null,
  sizeBytes: 100 * megabyte,
  lockedBytes: 0,
  lockableBytes: 8 * megabyte,
};
const group = (limit: number, free: number): MemoryFacts['group'] => ({
  path: '/sys/fs/cgroup/app',
  limitBytes: limit * megabyte,
  freeBytes: free * megabyte,
});

test('[memory.locked] a process that locks some of its memory is traced; one that locks all, and may lock little, is refused', () => {
  expect(whyNoMemory(usual)).toBeNull();
  expect(whyNoMemory({ ...usual, lockedBytes: 64 * 1024 })).toBeNull();
  const all = { ...usual, sizeBytes: 3 * megabyte, lockedBytes: 3 * megabyte };
  expect(whyNoMemory(all)?.reason).toContain(
    'keeps all its memory locked (mlockall) and may lock 8 MB',
  );
  expect(whyNoMemory({ ...all, lockableBytes: Number.POSITIVE_INFINITY })).toBeNull();
});

test('[memory.group] a memory cgroup must leave what tracing needs, more where all memory is locked', () => {
  expect(whyNoMemory({ ...usual, group: group(256, 200) })).toBeNull();
  expect(whyNoMemory({ ...usual, group: group(256, 40) })?.reason).toContain(
    '/sys/fs/cgroup/app allows 256 MB, of which 40 MB are free',
  );
  const locked = {
    ...usual,
    lockedBytes: usual.sizeBytes,
    lockableBytes: Number.POSITIVE_INFINITY,
  };
  expect(whyNoMemory({ ...locked, group: group(512, 200) })).not.toBeNull();
  expect(ringRoom({ group: group(256, 200) })).toBe(25 * megabyte);
  expect(ringRoom({ group: null })).toBe(Number.POSITIVE_INFINITY);
});
