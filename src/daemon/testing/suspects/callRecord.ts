import type { CallView, Value } from '../../../model/questions/query.ts';
import { canonicalText } from '../../../testing/canonicalText.ts';
import { valueText } from '../../report/text/valueText.ts';

/** A file of JavaScript or TypeScript. */
export const script = /\.[cm]?[jt]sx?$/;

/** What speaks against the function of a call. */
export interface Clue {
  readonly call: CallView;
  /** As the end of a sentence; empty: it says nothing of the function, only that this call of it is shown. */
  readonly why: string;
  readonly weight: number;
}

/** The calls of a test in the order of their beginnings, with what a clue needs to know of each. */
export class CallRecord {
  readonly calls: readonly CallView[];
  readonly #byId = new Map<string, CallView>();
  readonly #children = new Map<string, CallView[]>();
  readonly #texts = new Map<Value, string>();
  readonly #words = new Map<Value, ReadonlySet<string>>();
  readonly #isScript: boolean;

  constructor(calls: readonly CallView[]) {
    this.calls = calls;
    this.#isScript = calls.some(({ file }) => file !== null && script.test(file));
    for (const call of calls) {
      this.#byId.set(call.id, call);
      if (call.parent === null) continue;
      const siblings = this.#children.get(call.parent);
      if (siblings) siblings.push(call);
      else this.#children.set(call.parent, [call]);
    }
  }

  parentOf({ parent }: CallView): CallView | undefined {
    return parent === null ? undefined : this.#byId.get(parent);
  }

  childrenOf({ id }: CallView): readonly CallView[] {
    return this.#children.get(id) ?? [];
  }

  text(value: Value): string {
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = canonicalText(valueText(value, { verbose: true }));
    this.#texts.set(value, text);
    return text;
  }

  words(value: Value): ReadonlySet<string> {
    const known = this.#words.get(value);
    if (known) return known;
    const words = this.wordsOf(valueText(value, { verbose: true }));
    this.#words.set(value, words);
    return words;
  }

  /** Of JavaScript each word of a text stands for itself: a line is taken apart into them. */
  wordsOf(text: string): ReadonlySet<string> {
    return wordsIn(this.#isScript ? text : canonicalText(text));
  }

  given(call: CallView): string {
    return call.arguments.map(({ value }) => this.text(value)).join(',');
  }
}

/** Numbers with a fraction, and what is longer than a letter. */
function wordsIn(text: string): Set<string> {
  return new Set(text.match(/\d+\.\d+|\w{2,}/g));
}
