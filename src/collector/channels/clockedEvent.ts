import { monotonicNs } from '../../base/clock.ts';
import type { KeptEvent } from '../../model/channels/keptEvent.ts';
import type { SessionView } from '../../model/session.ts';

/** Events that something keeps while it is open. */
export const mostEvents = 5000;

/** A kept event of what sessions share: it has the clock of the machine. */
export interface ClockedEvent extends Omit<KeptEvent, 'time'> {
  /** CLOCK_MONOTONIC. */
  readonly atNs: number;
}

/** On the timeline of a session, in the order of time; without those from before it. */
export function onTimeline(events: readonly ClockedEvent[], { now }: SessionView): KeptEvent[] {
  const beganNs = Number(monotonicNs()) - now;
  return events
    .map(({ atNs, ...event }) => ({ ...event, time: atNs - beganNs }))
    .filter(({ time }) => time >= 0)
    .toSorted((a, b) => a.time - b.time);
}
