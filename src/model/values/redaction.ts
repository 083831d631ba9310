import type { ValueType } from './valueType.ts';

/** What names of secrets are made of, unless the settings say otherwise. */
export const secretNames = [
  'password',
  'passwd',
  'passphrase',
  'secret',
  'secrets',
  'credential',
  'credentials',
  'api key',
  'apikey',
  'private key',
  'access key',
  'access token',
  'auth token',
  'bearer token',
  'refresh token',
  'session token',
  'authorization',
  'cvv',
  'ssn',
] as const;

/**
 * The entry of the list whose words stand side by side in the name (`userApiKey`, `API_KEY`), or
 * null. Words are whole: a parser's `token` is not an `auth token`.
 */
export function secretIn(name: string, entries: readonly string[]): string | null {
  if (!beginningsOf(entries).test(name)) return null;
  const words = ` ${wordsOf(name).join(' ')} `;
  return entries.find((entry) => words.includes(` ${entry} `)) ?? null;
}

/** By list: a name without the first word of any entry is told by one look. */
const beginnings = new WeakMap<readonly string[], RegExp>();

function beginningsOf(entries: readonly string[]): RegExp {
  let known = beginnings.get(entries);
  if (!known) {
    const words = entries.map((entry) => entry.split(' ', 1).join(''));
    const texts = words.map((word) => word.replace(/[^A-Za-z0-9]/g, '\\$&'));
    known = new RegExp(texts.length > 0 ? texts.join('|') : '(?!)', 'i');
    beginnings.set(entries, known);
  }
  return known;
}

/** Neither a truth value nor an address tells a secret; what is not captured tells nothing. */
export function canTellSecret(type: ValueType): boolean {
  switch (type.kind) {
    case 'int':
    case 'char':
    case 'float':
    case 'enum':
    case 'cstring':
    case 'list':
    case 'dynamic':
      return true;
    case 'void':
    case 'bool':
    case 'pointer':
    case 'tree':
    case 'opaque':
    case 'unknown':
      return false;
  }
}

/** `parseHTTPHeader_v2` → parse http header v 2. */
function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase());
}
