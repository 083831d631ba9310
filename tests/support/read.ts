/** Walks into an answer of unknown shape: object keys and array indices. Undefined where it ends. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const step of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = new Map<string, unknown>(Object.entries(here)).get(String(step));
  }
  return here;
}

/** The list at a path; fails when there is none. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  if (Array.isArray(found)) return found;
  throw new Error(`no list at ${path.join('.')} of ${excerpt(value)}`);
}

/** The text at a path; fails when there is none. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  if (typeof found === 'string') return found;
  throw new Error(`no text at ${path.join('.')} of ${excerpt(value)}`);
}

/** The number at a path; fails when there is none. */
export function numberAt(value: unknown, ...path: readonly (string | number)[]): number {
  const found = at(value, ...path);
  if (typeof found === 'number') return found;
  throw new Error(`no number at ${path.join('.')} of ${excerpt(value)}`);
}

function excerpt(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 2_000);
}
