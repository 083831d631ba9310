import type { TracedFunction } from '../model/eventColumns.ts';
import type { ValueType } from '../model/values/valueType.ts';
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
type StoredValues = Pick<
  TracedFunction,
  'captured' | 'uncaptured' | 'returns' | 'secretReturn' | 'endsUnseen' | 'probe'
>;

/** The traced functions of a session's file, each a plain object. */
export function readFunctions(db: Sqlite): TracedFunction[] {
  return rowsOf(db).map(({ linkage_name: linkageName, values_json: json, ...names }) => ({
    ...names,
    linkageName,
    ...valuesOf(json),
  }));
}

/** The same for questions: most need what is known of the values of few functions, which takes long to parse. */
export function functionsToAsk(db: Sqlite): TracedFunction[] {
  return rowsOf(db).map(({ linkage_name: linkageName, values_json: json, ...names }) => {
    let parsed: StoredValues | null = null;
    const known = (): StoredValues => (parsed ??= valuesOf(json));
    return {
      ...names,
      linkageName,
      get captured() {
        return known().captured;
      },
      get uncaptured() {
        return known().uncaptured;
      },
      get returns() {
        return known().returns;
      },
      get endsUnseen() {
        return known().endsUnseen;
      },
      get probe() {
        return known().probe;
      },
      get secretReturn() {
        return known().secretReturn;
      },
    };
  });
}

function rowsOf(db: Sqlite): FunctionRow[] {
  return db.prepare<[], FunctionRow>('SELECT * FROM functions ORDER BY number').all();
}

function valuesOf(json: string): StoredValues {
  const shape = { captured: 'array', uncaptured: 'array', returns: 'object' } as const;
  const values = storedJson<StoredValues>(json, shape);
  const captured = values.captured.map(({ name, type }) => ({ name, type: current(type) }));
  return { ...values, captured };
}

/** Objects as they were captured before values had shapes: there is nothing left to read them. */
function current(type: ValueType | { readonly kind: 'object'; readonly name: string }): ValueType {
  if (type.kind !== 'object') return type;
  const reason = 'an older version of Strobe captured it';
  const { name } = type;
  const shapes = [{ kind: 'opaque', name, bytes: 0, reason }] as const;
  return { kind: 'tree', name, depth: 0, root: 0, shapes };
}
