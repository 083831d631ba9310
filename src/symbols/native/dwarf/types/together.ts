import type { Depth } from '../../../../model/values/shape.ts';
import { keptTree, ShapeBuilder, typeKey, type Tree } from './shapes.ts';
import type { TypeReader, TypeReference } from './types.ts';

/** One of several values that are given together. */
export interface Together {
  readonly name: string;
  readonly type: TypeReference;
  readonly offset: number;
  readonly bytes: number;
}

interface Whole {
  readonly depth: Depth;
  readonly bytes: number;
  readonly left: number;
  readonly name: string;
}

/** Values that a function returns together, as one: `bytes` with each at its offset. `left`: others that are not read. */
export function togetherTree(types: TypeReader, values: readonly Together[], whole: Whole): Tree {
  const { depth, bytes, left, name } = whole;
  const parts = values.map((one) => `${one.name} ${typeKey(one.type)} ${one.offset}`);
  const key = [name, bytes, left, ...parts].join();
  return keptTree(types, key, depth, () => buildTogether(types, values, whole));
}

function buildTogether(
  types: TypeReader,
  values: readonly Together[],
  { depth, bytes, left, name }: Whole,
): Tree {
  const building = new ShapeBuilder(types, depth);
  const fields = values.map((value) => ({
    name: value.name,
    offset: value.offset,
    shape: building.of(value.type, 0),
  }));
  const root = building.add({ kind: 'record', name, bytes, fields, left });
  building.finish();
  const { levels, whole } = depth;
  const far = whole < levels ? { whole } : {};
  return { kind: 'tree', name, depth: levels, ...far, root, shapes: building.shapes };
}
