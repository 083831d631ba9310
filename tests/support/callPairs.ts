import { eventKind } from '../../src/model/eventColumns.ts';
import type { RingEvent } from './ringEvents.ts';

export interface Pairing {
  readonly counts: Readonly<Record<'enter' | 'return' | 'unwound' | 'tail', number>>;
  /** Ends without an entry of the same function and stack pointer. */
  readonly unpaired: number;
  /** Calls that no record ended although a frame above them went on (longjmp). */
  readonly abandoned: number;
  /** Calls still open at the end. */
  readonly open: number;
}

/** Pairs the events of one thread by stack pointer alone. */
export function pairCalls(events: readonly RingEvent[]): Pairing {
  const count = (kind: number) => events.filter((event) => event.kind === kind).length;
  const stack: RingEvent[] = [];
  let unpaired = 0;
  let abandoned = 0;
  for (const event of events) {
    const isEntry = event.kind === eventKind.enter;
    const isGone = (call: RingEvent) => (isEntry ? call.sp <= event.sp : call.sp < event.sp);
    for (let top = stack.at(-1); top !== undefined && isGone(top); top = stack.at(-1)) {
      stack.pop();
      abandoned++;
    }
    if (isEntry) stack.push(event);
    else {
      const top = stack.at(-1);
      if (top?.sp === event.sp && top.fn === event.fn) stack.pop();
      else unpaired++;
    }
  }
  const counts = {
    enter: count(eventKind.enter),
    return: count(eventKind.return),
    unwound: count(eventKind.unwound),
    tail: count(eventKind.tail),
  };
  return { counts, unpaired, abandoned, open: stack.length };
}
