const WIDE = 2 ** 32;

const identities = new WeakMap<object, number>();
let identityBase = 0;
let nextIdentity = 1;

/** Threads have identities of their own. */
export function identifyFrom(thread: number): void {
  identityBase = thread * WIDE;
}

export function identityOf(value: object): number {
  let known = identities.get(value);
  if (known === undefined) {
    known = identityBase + nextIdentity++;
    identities.set(value, known);
  }
  return known;
}
