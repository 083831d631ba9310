import type { Objects } from './objects.ts';
import { readOr } from './unreadable.ts';

/** A variable of a module that was imported, or 0. */
export function moduleVariable(
  objects: Objects,
  interpreter: number,
  module: string,
  name: string,
): number {
  return readOr(0, () => {
    const modules = objects.pointer(interpreter + objects.layout.interpreterModules);
    const found = objects.valueIn(modules, module);
    // PyModuleObject begins with its dictionary.
    return found === 0 ? 0 : objects.valueIn(objects.pointer(found + 16), name);
  });
}

/** What `threading` knows of a thread. */
export interface NamedThread {
  readonly name: string;
  /** Null: not known. */
  readonly tid: number | null;
}

/** By the number that Python gives a thread (`threading.get_ident`). */
export function namedThreads(
  objects: Objects,
  interpreter: number,
): ReadonlyMap<number, NamedThread> {
  const found = new Map<number, NamedThread>();
  const active = moduleVariable(objects, interpreter, 'threading', '_active');
  if (active === 0) return found;
  readOr(undefined, () => {
    for (const [ident, thread] of objects.entries(active)) {
      const number = objects.integer(ident);
      const name = objects.attribute(thread, '_name');
      const tid = objects.attribute(thread, '_native_id');
      if (number === null || name === 0) continue;
      found.set(number, {
        name: objects.text(name),
        tid: tid === 0 ? null : objects.integer(tid),
      });
    }
  });
  return found;
}
