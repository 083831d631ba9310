import { basename } from 'node:path';
import type { TracedFunction } from '../../model/eventColumns.ts';

/** Each function of a session by its number: equal texts are the same function in two sessions. */
export type Identities = ReadonlyMap<number, string>;

/** What tells namesakes apart, coarsest first. Folders and lines differ between builds. */
const details: readonly ((fn: TracedFunction) => string)[] = [
  (fn) => fn.signature,
  (fn) => `${fn.signature} (${fileOf(fn)})`,
  (fn) => `${fn.signature} (${fileOf(fn)}, ${basename(fn.module)})`,
];

function fileOf({ file, module }: TracedFunction): string {
  return basename(file ?? module);
}

/**
 * The signature; where several functions of a side have it, with the file or the module, and of
 * those left with their place in the order of addresses.
 */
export function identify(
  here: readonly TracedFunction[],
  there: readonly TracedFunction[],
): { readonly here: Identities; readonly there: Identities } {
  const found = { here: new Map<number, string>(), there: new Map<number, string>() };
  const settle = (sides: Sides, level: number): void => {
    const detail = details[level];
    if (!detail) throw new Error('no detail is left');
    for (const [text, group] of grouped(sides, detail)) {
      const isLast = level + 1 === details.length;
      if (!isLast && (group.here.length > 1 || group.there.length > 1)) settle(group, level + 1);
      else {
        number(group.here, text, found.here);
        number(group.there, text, found.there);
      }
    }
  };
  settle({ here, there }, 0);
  return found;
}

interface Sides {
  readonly here: readonly TracedFunction[];
  readonly there: readonly TracedFunction[];
}

function grouped(
  { here, there }: Sides,
  detail: (fn: TracedFunction) => string,
): Map<string, { readonly here: TracedFunction[]; readonly there: TracedFunction[] }> {
  const groups = new Map<string, { here: TracedFunction[]; there: TracedFunction[] }>();
  const groupOf = (fn: TracedFunction): { here: TracedFunction[]; there: TracedFunction[] } => {
    const text = detail(fn);
    const group = groups.get(text) ?? { here: [], there: [] };
    groups.set(text, group);
    return group;
  };
  for (const fn of here) groupOf(fn).here.push(fn);
  for (const fn of there) groupOf(fn).there.push(fn);
  return groups;
}

function number(
  functions: readonly TracedFunction[],
  text: string,
  found: Map<number, string>,
): void {
  const sorted = functions.toSorted((a, b) => (a.address ?? 0) - (b.address ?? 0));
  for (const [i, fn] of sorted.entries())
    found.set(fn.number, i === 0 ? text : `${text} #${i + 1}`);
}
