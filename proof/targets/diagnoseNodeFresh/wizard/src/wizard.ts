import { buildSteps, type Step } from './build.ts';

export class Wizard {
  readonly #steps: Step[] = buildSteps();
  #at = 0;

  get length(): number {
    return this.#steps.length;
  }

  next(): string {
    return this.#steps[this.#at++]?.show() ?? '';
  }
}
