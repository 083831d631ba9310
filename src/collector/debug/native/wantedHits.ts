import type { ProbeRequest } from '../../../model/probes/probe.ts';
import type { StopperPlace } from './stopper.ts';

/** Which of the hits are wanted. */
export function hitsOf({
  at,
  every = 0,
  after = 0,
  once,
}: ProbeRequest): Pick<StopperPlace, 'after' | 'every' | 'most'> {
  return at === undefined
    ? { after, every, most: once ? 1 : 0 }
    : { after: at - 1, every: 0, most: 1 };
}
