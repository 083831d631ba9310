import type { DebugBackend } from '../../collector/debug/debugger.ts';
import type { ProbeChange, SessionProbes } from '../tracing/sessionProbes.ts';
import type { SessionSymbols } from '../tracing/sessionSymbols.ts';

/** What stops need of the tracing of a session. */
export interface StoppingProbes {
  readonly probes: SessionProbes;
  readonly symbols: Pick<SessionSymbols, 'entered' | 'isOwn' | 'programs'>;
  /** The project's own units of the runtime whose threads it stops. */
  own(by: DebugBackend): readonly string[];
  changeProbes(change: ProbeChange): Promise<unknown>;
}
