import { watchedDepth, type Shape } from '../../../model/values/shape.ts';
import type { Parameter, ValueType } from '../../../model/values/valueType.ts';
import { FieldPlace, type Pointed } from './fieldPlace.ts';

/** `it` or `next` of a walk: an address, of what leads to an element. Its place is the engine's. */
export function elementOf(name: string, { shapes, shape, skip }: Pointed): Parameter {
  const pointer: Shape = { kind: 'pointer', bytes: 8, name, at: 0, skip, target: shape };
  const all = [...shapes, pointer];
  const type: ValueType = {
    kind: 'tree',
    name,
    depth: watchedDepth.levels,
    whole: watchedDepth.whole,
    root: shapes.length,
    shapes: all,
  };
  return { name, type, place: { kind: 'integer', register: 0 } };
}

/** An element that does not meet the test, as it is in memory. */
export function elementType({
  shapes,
  shape,
  skip,
}: Pointed): Extract<ValueType, { kind: 'tree' }> {
  const place = new FieldPlace(shapes, 'it', shape, skip);
  const { shape: meant } = place;
  return place.tree('name' in meant ? meant.name : meant.kind, watchedDepth);
}
