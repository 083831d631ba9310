import { at } from './read.ts';

/** What a value shown has in place of what was not captured, or lies deeper than was asked for. */
export const standsForMore =
  /^0x[0-9a-f]+$|^\[\d+ elements?\]$|^\{\d+ entr(y|ies)\}$|^<circular ref to |^(an address|circular)$/;

/** Where a captured value says something else than the program printed; empty when it says the same or less. */
export function contradictions(shown: unknown, printed: unknown, path = ''): string[] {
  if (typeof shown === 'string' && standsForMore.test(shown)) return [];
  if (shown === null || typeof shown !== 'object')
    return shown === printed || isStart(shown, printed) ? [] : [`${path}: ${String(shown)}`];
  if ('notCaptured' in shown) return [];
  if (Array.isArray(shown)) return inList(shown, printed, path);
  const fields = Object.entries(shown).filter(
    ([name]) => !['address', 'owners', 'weak', 'self', '…'].includes(name),
  );
  const [only] = fields;
  if (fields.length === 1 && only?.[0] === 'value' && 'address' in shown)
    return contradictions(only[1], printed, path);
  return fields.flatMap(([name, value]) =>
    contradictions(value, at(printed, name), `${path}.${name}`),
  );
}

function isStart(shown: unknown, printed: unknown): boolean {
  if (typeof shown !== 'string' || typeof printed !== 'string') return false;
  return shown.endsWith('…') && printed.startsWith(shown.slice(0, -1));
}

function inList(shown: readonly unknown[], printed: unknown, path: string): string[] {
  if (!Array.isArray(printed)) return [`${path}: a list`];
  const last = shown.at(-1);
  const left = typeof last === 'string' ? /^…\(\+(\d+)\)$/.exec(last) : null;
  const items = left ? shown.slice(0, -1) : shown;
  const count = items.length + Number(left?.[1] ?? 0);
  return [
    ...(count === printed.length ? [] : [`${path}: ${count} of ${printed.length}`]),
    ...items.flatMap((item, i) => contradictions(item, printed[i], `${path}.${i}`)),
  ];
}
