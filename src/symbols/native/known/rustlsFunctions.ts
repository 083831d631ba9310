import type { Parameter, ValueType } from '../../../model/values/valueType.ts';
import type { FunctionDetails } from '../dwarf/functions/functionInterface.ts';

const count = { kind: 'int', name: 'usize', bytes: 8, signed: false } as const;

/** An `io::Result<usize>`: which of both in rax, the number in rdx. */
const result: ValueType = {
  kind: 'tree',
  name: 'Result<usize, Error>',
  depth: 0,
  root: 0,
  shapes: [
    {
      kind: 'choice',
      bytes: 16,
      name: 'Result',
      at: 0,
      size: 8,
      options: [
        { low: '0', high: '0', name: 'Ok', offset: 8, shape: 1 },
        { low: '1', high: '1', name: 'Err', offset: 8, shape: null },
      ],
      otherwise: null,
    },
    { kind: 'scalar', bytes: 8, type: count },
  ],
};

const self: Parameter = {
  name: 'connection',
  type: { kind: 'pointer', name: '&mut Connection' },
  place: { kind: 'integer', register: 0 },
};

const inTwo = { pointer: 0, length: 8, byEnd: false, unit: 1, inWords: true } as const;

const plain = { stackBytes: 0, variadic: false, opensStack: false } as const;

/** A function of rustls (0.21 to 0.23) through which plain text goes; null: it is none. Its parameters need no debug information. */
export function rustlsFunction(name: string, linkageName: string): FunctionDetails | null {
  const [, called = ''] =
    /^<?rustls::(?:.* as rustls::conn::(?:connection::)?PlaintextSink|common_state::CommonState)>?::(\w+)$/.exec(
      name,
    ) ?? [];
  if (called === 'take_received_plaintext') {
    // A Vec<u8> or a slice: of both the address is in the second word, and the length in the third.
    const held = { pointer: 8, length: 16, byEnd: false, unit: 1, inWords: false } as const;
    const data: Parameter = {
      name: 'data',
      type: { kind: 'cstring', name: 'Payload', held },
      place: { kind: 'address', register: 1, offset: 0, bytes: 24 },
    };
    return {
      ...plain,
      signature: name,
      linkageName,
      parameters: [self, data],
      returns: { kind: 'void' },
    };
  }
  if (called !== 'write' && called !== 'write_vectored') return null;
  const isWhole = called === 'write';
  const data: Parameter = {
    name: 'data',
    type: isWhole
      ? { kind: 'cstring', name: '&[u8]', held: inTwo }
      : { kind: 'cstring', name: '&[IoSlice]', held: { ...inTwo, parts: 'iovec' } },
    place: { kind: 'pair', first: 1, second: 2 },
  };
  return {
    ...plain,
    signature: name,
    linkageName,
    parameters: [self, data],
    returns: result,
    returnPlace: { kind: 'parts', registers: [0, 1], bytes: 16, second: 8 },
  };
}
