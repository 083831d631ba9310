import { StrobeError } from '../model/errors.ts';

type Kind = 'array' | 'number' | 'object' | 'string';

/**
 * JSON that our own writer stored in a session's file. `shape`: what the whole is, or members that it has; what lies
 * deeper is trusted. Throws STORE_FAILED when it is not that: the file was damaged, or changed by somebody.
 */
export function storedJson<T extends object>(
  json: string,
  shape: 'array' | { readonly [name in keyof T]?: Kind },
): T {
  const value = parsed(json);
  const isWhole =
    shape === 'array'
      ? kindOf(value) === 'array'
      : kindOf(value) === 'object' &&
        Object.entries(shape).every(([name, kind]) => kindOf(memberOf(value, name)) === kind);
  if (!isWhole) throw damagedStore();
  // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- its members are as they must be.
  return value as T;
}

/** For what SQLite finds nothing wrong in, and that still cannot be read. */
export function damagedStore(): StrobeError {
  return new StrobeError(
    'STORE_FAILED',
    'The file of the session is damaged.',
    'Use a whole copy of it, or run the program again.',
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([own]) => own === name)?.[1];
}
