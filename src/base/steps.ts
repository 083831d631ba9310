/** Work that can be done a little at a time. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all of it now. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
