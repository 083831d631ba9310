/** By the function that stands in its place. */
const replacedBy = new WeakMap<object, object>();

/** Name, length and text are those of the function it stands in for. */
export function hide(made: object, replaced: object): void {
  for (const key of ['name', 'length']) {
    const known = Object.getOwnPropertyDescriptor(replaced, key);
    if (known) Object.defineProperty(made, key, known);
  }
  replacedBy.set(made, replaced);
}

/** The function whose text a function shows. */
export function textOwner(of: unknown): unknown {
  return typeof of === 'function' ? (replacedBy.get(of) ?? of) : of;
}
