import type { Shape } from '../../../model/values/shape.ts';

/** Bytes of a shape of which each is part of what is shown: two values that differ there are shown differently. */
export type ShownBytes = readonly { readonly from: number; readonly to: number }[];

/** Of an array so many elements are looked at. */
const MOST_ELEMENTS = 16;
const MOST_RANGES = 64;

const known = new WeakMap<readonly Shape[], Map<number, ShownBytes>>();

/** Those of the shape of this index: integers, characters, enumerators and addresses, wherever they lie in it. */
export function shownBytes(shapes: readonly Shape[], index: number): ShownBytes {
  let ofShapes = known.get(shapes);
  if (!ofShapes) known.set(shapes, (ofShapes = new Map<number, ShownBytes>()));
  let ranges = ofShapes.get(index);
  if (!ranges) {
    const found: { from: number; to: number }[] = [];
    collect(shapes, index, 0, found);
    ofShapes.set(index, (ranges = found));
  }
  return ranges;
}

function collect(
  shapes: readonly Shape[],
  index: number,
  at: number,
  found: { from: number; to: number }[],
): void {
  const shape = shapes[index];
  if (!shape || found.length >= MOST_RANGES) return;
  switch (shape.kind) {
    case 'scalar':
      // Two truth values, or zeros of a float, may be other bytes and read alike.
      if (shape.type.kind !== 'bool' && shape.type.kind !== 'float') add(found, at, shape.bytes);
      return;
    case 'pointer':
      if (!shape.dynamic) add(found, at + shape.at, 8);
      return;
    case 'inside':
      collect(shapes, shape.shape, at + shape.offset, found);
      return;
    case 'array': {
      const element = shapes[shape.element];
      // Behind its NUL a text is not shown.
      if (!element || (element.kind === 'scalar' && element.type.kind === 'char')) return;
      for (let i = 0; i < Math.min(shape.count, MOST_ELEMENTS); i++)
        collect(shapes, shape.element, at + i * element.bytes, found);
      return;
    }
    case 'record':
      for (const { offset, shape: field, bits, virtual } of shape.fields)
        if (!bits && !virtual) collect(shapes, field, at + offset, found);
      return;
    default:
  }
}

function add(found: { from: number; to: number }[], from: number, bytes: number): void {
  const last = found.at(-1);
  if (last?.to === from) last.to = from + bytes;
  else found.push({ from, to: from + bytes });
}
