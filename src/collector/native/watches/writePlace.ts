import { condition } from '../../../protocol/record.ts';
import type { WatchType } from '../../../model/watches/watch.ts';
import type { WatchProgram } from './compileWatch.ts';

/** What finding a place needs of the process. */
export interface PlaceSurroundings {
  /** Run-time address of an offset in a module; null: the module is not loaded. */
  addressIn(module: string, offset: number): bigint | null;
  /** The number in `bytes` bytes at an address; null: it cannot be read. */
  read(address: bigint, bytes: number): bigint | null;
}

/** Where what a watch means lies now, or why a debug register cannot watch it; `waits`: not yet. */
export type WritePlace =
  | { readonly address: bigint; readonly bytes: number; readonly isBehindPointer: boolean }
  | { readonly why: string; readonly waits: boolean };

const wordMask = (1n << 64n) - 1n;

/**
 * Follows a watch's words up to its last load, whose place it is. `why` is a sentence's end.
 */
export function writePlace(program: WatchProgram, around: PlaceSurroundings): WritePlace {
  const never = (why: string): WritePlace => ({ why, waits: false });
  if (program.where !== 0)
    return never('a text that an object holds is in several places: name a field of it');
  if (program.type.kind === 'tree') return never(tooLarge(program.type));
  const words = [...program.words];
  for (const { at, variable } of program.fixups) {
    if (variable.place.kind === 'thread' || at === null)
      return never(
        `each thread has its own ${variable.name}: give the address of the one that is meant, with its type`,
      );
    if (variable.place.kind !== 'static') return never('it is no place in memory');
    const address = around.addressIn(variable.module, variable.place.offset);
    if (address === null) return { why: `${variable.module} is not loaded`, waits: true };
    words[at] = address;
  }
  return follow(words, around);
}

function follow(words: readonly bigint[], around: PlaceSurroundings): WritePlace {
  const noPlace: WritePlace = { why: 'it is no place in memory', waits: false };
  if (lastOperation(words) !== condition.load) return noPlace;
  const stack: bigint[] = [];
  let hops = 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? 0n;
    const operation = Number(word & 0xffn);
    if (operation === condition.constant) {
      stack.push(words[++at] ?? 0n);
    } else if (operation === condition.add) {
      const [b = 0n, a = 0n] = [stack.pop(), stack.pop()];
      stack.push((a + b) & wordMask);
    } else if (operation === condition.load) {
      const bytes = Number((word >> 16n) & 0xffn);
      const from = stack.pop() ?? 0n;
      const address = (from + BigInt.asIntN(32, word >> 32n)) & wordMask;
      if (at === words.length - 1) return placeOf(address, bytes, hops > 0);
      const value = around.read(address, bytes);
      if (value === null || value === 0n)
        return {
          why: `a pointer on the way to it is ${value === null ? 'not readable' : 'null'} now`,
          waits: true,
        };
      hops++;
      stack.push(value);
    } else return noPlace;
  }
  return noPlace;
}

function lastOperation(words: readonly bigint[]): number {
  let last = 0;
  for (let at = 0; at < words.length; at++) {
    last = Number((words[at] ?? 0n) & 0xffn);
    if (last === condition.constant) at++;
  }
  return last;
}

function placeOf(address: bigint, bytes: number, isBehindPointer: boolean): WritePlace {
  if (![1, 2, 4, 8].includes(bytes))
    return { why: `a debug register watches 1, 2, 4 or 8 bytes, not ${bytes}`, waits: false };
  if (address % BigInt(bytes) !== 0n)
    return {
      why: `a debug register watches places that are a multiple of their ${bytes} bytes, and it is at 0x${address.toString(16)}: watch a part of it by address and type`,
      waits: false,
    };
  return { address, bytes, isBehindPointer };
}

function tooLarge({ name, root, shapes }: Extract<WatchType, { kind: 'tree' }>): string {
  const shape = shapes[root];
  const fields = shape?.kind === 'record' ? shape.fields.map((one) => one.name) : [];
  const what =
    fields.length > 0 ? `a field of it (${fields.slice(0, 12).join(', ')})` : 'an element of it';
  return `${name} is more than a number: name ${what}`;
}
