import type { LiveDebugger, RemoteValue } from '../live/liveDebugger.ts';
import { unknown } from '../expressionValue.ts';

/** What `$strobe` is called with to hand a value of the inspector to this thread. */
export const handedKey = 'handed';

let handed: unknown = unknown;

/** The value itself; `unknown`: it could not be had. */
export function valueOfRemote(value: RemoteValue, tracer: LiveDebugger): unknown {
  handed = unknown;
  tracer.hand(value, handedKey);
  return valueHanded();
}

/** The value that was handed last, once. */
export function valueHanded(): unknown {
  const had = handed;
  handed = unknown;
  return had;
}

export function takeHanded(value: unknown): void {
  handed = value;
}
