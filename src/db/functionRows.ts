import type { TracedFunction } from '../model/eventColumns.ts';
import type { ValueType } from '../model/valueType.ts';
import type { Sqlite } from './sqlite.ts';
import { storedJson } from './storedJson.ts';

interface FunctionRow {
  readonly number: number;
  readonly name: string;
  readonly signature: string;
  readonly linkage_name: string;
  readonly module: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly values_json: string;
  readonly address: number | null;
}

/** What a function's values_json holds. */
type StoredValues = Pick<TracedFunction, 'captured' | 'uncaptured' | 'returns' | 'secretReturn'>;

/** The traced functions of a session's file. */
export function readFunctions(db: Sqlite): TracedFunction[] {
  const rows = db.prepare<[], FunctionRow>('SELECT * FROM functions ORDER BY number').all();
  return rows.map((row) => {
    const values = storedJson<StoredValues>(row.values_json, {
      ...{ captured: 'array', uncaptured: 'array', returns: 'object' },
    });
    return {
      number: row.number,
      name: row.name,
      signature: row.signature,
      linkageName: row.linkage_name,
      module: row.module,
      address: row.address,
      file: row.file,
      line: row.line,
      ...values,
      captured: values.captured.map(({ name, type }) => ({ name, type: current(type) })),
    };
  });
}

/** Objects as they were captured before values had shapes: there is nothing left to read them. */
function current(type: ValueType | { readonly kind: 'object'; readonly name: string }): ValueType {
  if (type.kind !== 'object') return type;
  const reason = 'an older version of Strobe captured it';
  const { name } = type;
  const shapes = [{ kind: 'opaque', name, bytes: 0, reason }] as const;
  return { kind: 'tree', name, depth: 0, root: 0, shapes };
}
