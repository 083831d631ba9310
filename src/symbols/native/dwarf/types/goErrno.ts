import { constants } from 'node:os';
import type { ScalarType } from '../../../../model/values/scalarType.ts';

const members = Object.entries(constants.errno).map(
  ([name, number]) => [String(number), name] as const,
);

/** Go's syscall.Errno, a number of one of the system's errors: `ENOENT`. Null: the type is another. */
export function errnoType(name: string, bytes: number): ScalarType | null {
  if (name !== 'syscall.Errno') return null;
  return { kind: 'enum', name, bytes, signed: false, members, isOne: true };
}
