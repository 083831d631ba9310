/** A JSON-RPC message as it came. */
export interface Incoming {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A line as a message; null when it is none. */
export function parse(line: string): Incoming | null {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null && !Array.isArray(message)
      ? message
      : null;
  } catch {
    return null;
  }
}

/** The value of a member, or undefined. */
export function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}

/** The text of a member, or the fallback. */
export function textMember(value: unknown, key: string, fallback = ''): string {
  const found = member(value, key);
  return typeof found === 'string' ? found : fallback;
}

/** The number of a member, or the fallback. */
export function numberMember(value: unknown, key: string, fallback = 0): number {
  const found = member(value, key);
  return typeof found === 'number' ? found : fallback;
}

/** The list of a member; empty where there is none. */
export function listMember(value: unknown, key: string): readonly unknown[] {
  const found = member(value, key);
  return Array.isArray(found) ? found : [];
}
