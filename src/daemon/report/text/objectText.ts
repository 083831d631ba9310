import type { CallView } from '../../../model/questions/query.ts';
import { isLogged } from './sharedArguments.ts';

/** The object of each class that was written last: a `this` that is the same need not be written again. */
export class Objects {
  readonly #last = new Map<string, string>();

  has(call: CallView): boolean {
    const object = isLogged(call) ? null : objectOf(call);
    return object !== null && this.#last.get(classOf(call)) === object;
  }

  /** `isKnown` false: the calls a line stands for have several. */
  add(call: CallView, isKnown = true): void {
    const object = objectOf(call);
    if (object !== null) this.#last.set(classOf(call), isKnown ? object : '');
  }

  /** The call as it is written next. */
  withoutRepeated(call: CallView): CallView {
    if (this.has(call)) return { ...call, arguments: call.arguments.slice(1) };
    this.add(call);
    return call;
  }
}

function objectOf({ arguments: [first] }: CallView): string | null {
  if (first?.name !== 'this' || first.value.kind !== 'pointer') return null;
  const { address, target } = first.value;
  return target ? `${address} ${JSON.stringify(target)}` : address;
}

function classOf(call: CallView): string {
  const at = call.function.lastIndexOf('::');
  return at < 0 ? '' : call.function.slice(0, at);
}
