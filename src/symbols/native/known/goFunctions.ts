import type { Shape } from '../../../model/values/shape.ts';
import type { Parameter } from '../../../model/values/valueType.ts';
import type { FunctionDetails } from '../dwarf/functions/functionInterface.ts';

/** The receiver takes the first register, the slice the next three (ABIInternal). */
const BUFFER = 1;
const LENGTH = 2;
const slice = '[]uint8';

/** They have the kernel carry a file or a socket (`src`) to another; their result says how many bytes. */
const passing: ReadonlySet<string> = new Set(['internal/poll.SendFile', 'internal/poll.Splice']);
const source: Parameter = {
  name: 'src',
  type: { kind: 'pointer', name: '*' },
  place: { kind: 'integer', register: 1 },
};
const reads = /\.(?:Read|readFrom|readMsg)(?:Inet[46])?$/;
const writes = /\.(?:Write|writeTo|writeMsg)(?:Inet[46])?$/;

export function mayCarryInGo(name: string): boolean {
  return name.includes('.(*') || passing.has(name);
}

/** A function of Go that carries bytes, with them in place of its buffer: `Write(fd, data)`, and what `Read(fd)` read. */
export function carriedByGo(name: string, details: FunctionDetails): FunctionDetails {
  const { returnPlace: _, ...rest } = details;
  const receiver: Parameter = lean(details.parameters[0]) ?? {
    name: 'fd',
    type: { kind: 'pointer', name: '*' },
    place: { kind: 'integer', register: 0 },
  };
  if (passing.has(name)) {
    const returns = { kind: 'int', name: 'int64', bytes: 8, signed: true } as const;
    const isFile = name.endsWith('File');
    return { ...rest, parameters: isFile ? [receiver] : [receiver, source], returns };
  }
  if (reads.test(name)) {
    const filled = { register: BUFFER, through: null, hasErrno: false } as const;
    const returns = { kind: 'cstring', name: slice, filled } as const;
    return { ...rest, parameters: [receiver], returns };
  }
  if (!writes.test(name)) return details;
  const held = { pointer: 0, length: 8, byEnd: false, unit: 1, inWords: true } as const;
  const data: Parameter = {
    name: 'data',
    type: { kind: 'cstring', name: slice, held },
    place: { kind: 'pair', first: BUFFER, second: LENGTH },
  };
  const addresses = details.parameters.filter((one) => one.name === 'sa');
  return { ...details, parameters: [receiver, data, ...addresses] };
}

/** Its first field leads to the socket; the forty others are the state of the encryption. */
const TLS_CONNECTION = 'crypto/tls.Conn';

/** Without what says nothing of the socket. */
function lean(receiver: Parameter | undefined): Parameter | undefined {
  if (receiver?.type.kind !== 'tree') return receiver;
  const shapes = receiver.type.shapes.map((shape): Shape => {
    if (shape.kind !== 'record' || shape.name !== TLS_CONNECTION) return shape;
    const [first, ...others] = shape.fields;
    if (first?.offset !== 0) return shape;
    return { ...shape, bytes: INTERFACE_BYTES, fields: [first], left: shape.left + others.length };
  });
  return { ...receiver, type: { ...receiver.type, shapes } };
}

const INTERFACE_BYTES = 16;
