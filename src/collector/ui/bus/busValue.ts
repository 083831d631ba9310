/** A value of D-Bus: numbers of 64 bits are bigint, arrays and structures lists. */
export type BusValue = number | bigint | string | boolean | readonly BusValue[] | BusVariant;

export interface BusVariant {
  readonly signature: string;
  readonly value: BusValue;
}

const alignments: Readonly<Record<string, number>> = {
  y: 1,
  b: 4,
  n: 2,
  q: 2,
  i: 4,
  u: 4,
  x: 8,
  t: 8,
  d: 8,
  s: 4,
  o: 4,
  g: 1,
  a: 4,
  v: 1,
  '(': 8,
  '{': 8,
};

export function alignmentOf(type: string): number {
  const found = alignments[type.charAt(0)];
  if (found === undefined) throw new Error(`no type of D-Bus: ${type}`);
  return found;
}

/** Of signatures met so far: each message has the same few. */
const known = new Map<string, readonly string[]>();
const MOST_KNOWN = 1000;

/** The complete types that follow one another in a signature. */
export function typesIn(signature: string): readonly string[] {
  const types = known.get(signature) ?? parsed(signature);
  if (known.size < MOST_KNOWN) known.set(signature, types);
  return types;
}

function parsed(signature: string): readonly string[] {
  const types: string[] = [];
  for (let at = 0; at < signature.length;) {
    const end = endOfType(signature, at);
    types.push(signature.slice(at, end));
    at = end;
  }
  return types;
}

function endOfType(signature: string, from: number): number {
  const first = signature[from];
  if (first === 'a') return endOfType(signature, from + 1);
  if (first !== '(' && first !== '{') return from + 1;
  let depth = 0;
  for (let at = from; at < signature.length; at++) {
    const letter = signature[at];
    if (letter === '(' || letter === '{') depth++;
    if ((letter === ')' || letter === '}') && --depth === 0) return at + 1;
  }
  throw new Error(`an unfinished signature: ${signature}`);
}

function isList(value: BusValue | undefined): value is readonly BusValue[] {
  return Array.isArray(value);
}

export function listOf(value: BusValue | undefined): readonly BusValue[] {
  return isList(value) ? value : [];
}

export function textOf(value: BusValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: BusValue | undefined): number {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0;
}

/** What a variant holds. */
export function heldBy(value: BusValue | undefined): BusValue | undefined {
  return typeof value === 'object' && 'value' in value ? value.value : value;
}
