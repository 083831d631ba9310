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

/** The traced functions of a session's file, each a plain object. */
export function readFunctions(db: Sqlite): TracedFunction[] {
  return rowsOf(db).map(({ linkage_name: linkageName, values_json: json, ...names }) => ({
    ...{ ...names, linkageName },
    ...valuesOf(json),
  }));
}

/** The same for questions: most need what is known of the values of few functions, which takes long to parse. */
export function functionsToAsk(db: Sqlite): TracedFunction[] {
  return rowsOf(db).map((row) => new FunctionToAsk(row));
}

class FunctionToAsk implements TracedFunction {
  readonly number: number;
  readonly name: string;
  readonly signature: string;
  readonly linkageName: string;
  readonly module: string;
  readonly address: number | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly #json: string;
  #values: StoredValues | null = null;

  constructor(row: FunctionRow) {
    this.number = row.number;
    this.name = row.name;
    this.signature = row.signature;
    this.linkageName = row.linkage_name;
    this.module = row.module;
    this.address = row.address;
    this.file = row.file;
    this.line = row.line;
    this.#json = row.values_json;
  }

  get captured(): StoredValues['captured'] {
    return this.#known.captured;
  }

  get uncaptured(): StoredValues['uncaptured'] {
    return this.#known.uncaptured;
  }

  get returns(): StoredValues['returns'] {
    return this.#known.returns;
  }

  get secretReturn(): StoredValues['secretReturn'] {
    return this.#known.secretReturn;
  }

  get #known(): StoredValues {
    return (this.#values ??= valuesOf(this.#json));
  }
}

function rowsOf(db: Sqlite): FunctionRow[] {
  return db.prepare<[], FunctionRow>('SELECT * FROM functions ORDER BY number').all();
}

function valuesOf(json: string): StoredValues {
  const values = storedJson<StoredValues>(json, {
    ...{ captured: 'array', uncaptured: 'array', returns: 'object' },
  });
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
