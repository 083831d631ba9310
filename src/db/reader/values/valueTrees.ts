import { hexadecimal } from '../../../model/decoding/scalars.ts';
import { ShapeDecoder } from '../../../model/decoding/shapeDecoder.ts';
import { stringFlags } from '../../../model/eventColumns.ts';
import type { Value } from '../../../model/questions/query.ts';
import { mostElements } from '../../../model/values/shape.ts';
import type { ValueType } from '../../../model/values/valueType.ts';
import { Pieces } from './pieces.ts';

/** The tree whose pieces lie in bytes[at, end), behind a header with these flags; `more`: what gives what lies deep in it more room. */
export function decodeTree(
  type: Extract<ValueType, { kind: 'tree' }>,
  bytes: Buffer,
  at: number,
  end: number,
  flags: number,
  more = `"depth": ${type.depth} of its pattern gives it more`,
): Value {
  const pieces = new Pieces(bytes, at, end);
  const [first] = pieces.all;
  if (!first || (flags & stringFlags.unreadable) !== 0)
    return { kind: 'unreadable', address: first ? hexadecimal(first.address) : type.name };
  const decoder = new ShapeDecoder(type.shapes, pieces, {
    elements: mostElements,
    // What was captured is as deep as was asked for.
    levels: Infinity,
    missing: 'the bytes of the event were used up',
    isCut: (flags & stringFlags.truncated) !== 0,
    ...(type.whole === undefined
      ? {}
      : {
          far: {
            whole: type.whole,
            levels: type.depth,
            isCut: (flags & stringFlags.deeperCut) !== 0,
            missing: `it had no room: ${more}`,
          },
        }),
  });
  return decoder.root(type.root, { bytes: first.bytes, address: first.address });
}
