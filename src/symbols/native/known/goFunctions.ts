import type { Parameter } from '../../../model/values/valueType.ts';
import type { FunctionDetails } from '../dwarf/functions/functionInterface.ts';

/** The receiver takes the first register, the slice the next three (ABIInternal). */
const BUFFER = 1;
const LENGTH = 2;
const slice = '[]uint8';

export function isMethodOfGo(name: string): boolean {
  return name.includes('.(*');
}

/** A function of Go that carries bytes, with them in place of its buffer: `Write(fd, data)`, and what `Read(fd)` read. */
export function carriedByGo(name: string, details: FunctionDetails): FunctionDetails {
  const { returnPlace: _, ...rest } = details;
  const receiver: Parameter = details.parameters[0] ?? {
    name: 'fd',
    type: { kind: 'pointer', name: '*' },
    place: { kind: 'integer', register: 0 },
  };
  if (name.endsWith('.Read')) {
    const filled = { register: BUFFER, through: null, hasErrno: false } as const;
    const returns = { kind: 'cstring', name: slice, filled } as const;
    return { ...rest, parameters: [receiver], returns };
  }
  if (!name.endsWith('.Write')) return details;
  const held = { pointer: 0, length: 8, byEnd: false, unit: 1, inWords: true } as const;
  const data: Parameter = {
    name: 'data',
    type: { kind: 'cstring', name: slice, held },
    place: { kind: 'pair', first: BUFFER, second: LENGTH },
  };
  return { ...details, parameters: [receiver, data] };
}
