import type { Pointed } from './fieldPlace.ts';
import type { Meaning } from './operandKind.ts';

/** What `char*` leads to. */
export const character: Pointed = {
  shapes: [
    { kind: 'scalar', bytes: 1, type: { kind: 'char', name: 'char', bytes: 1, signed: true } },
  ],
  shape: 0,
  skip: 0,
};

/** What an address or a C string leads to; null: nothing that is known. */
export function pointedBy(meaning: Meaning): Pointed | null {
  if (meaning.kind === 'address') return meaning.to;
  return meaning.kind === 'text' && meaning.held === null ? character : null;
}

/** From one to the next of what an address leads to. */
export function strideOf(to: Pointed | null): number {
  return to?.shapes[to.shape]?.bytes ?? 1;
}
