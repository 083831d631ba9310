import { descriptorOf, isProxy, prototypeOf } from '../intrinsics.ts';

/** Reads the private fields of an object, in the order of their names; undefined: it does not have them all yet. */
type Reader = (of: object) => readonly unknown[] | undefined;

interface Fields {
  readonly names: readonly string[];
  readonly read: Reader;
}

const MOST_CLASSES = 16;
const none: readonly never[] = [];
/** By the prototype of the class; null: no class of this thread has any. */
let known: WeakMap<object, Fields> | null = null;

/** A class that was rewritten hands over what reads its private fields, which only code in it can. */
export function tellFields(made: object, names: readonly string[], read: Reader): void {
  const prototype: unknown = descriptorOf(made, 'prototype')?.value;
  if (typeof prototype !== 'object' || prototype === null) return;
  known ??= new WeakMap();
  known.set(prototype, { names, read });
}

/** Of each class of the object that has some, from its own on; no code of the program runs. */
export function privateFieldsOf(
  value: object,
): readonly { readonly names: readonly string[]; readonly values: readonly unknown[] }[] {
  if (known === null) return none;
  const found = [];
  let prototype = prototypeOf(value);
  for (let i = 0; prototype !== null && i < MOST_CLASSES && !isProxy(prototype); i++) {
    const fields = known.get(prototype);
    const values = fields?.read(value);
    if (fields && values) found.push({ names: fields.names, values });
    prototype = prototypeOf(prototype);
  }
  return found;
}
