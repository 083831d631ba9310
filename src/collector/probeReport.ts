import type { StatementMatch } from '../model/functions/foundStatement.ts';
import {
  probeLabel,
  type ProbePlace,
  type ProbeReport,
  type ProbeRequest,
} from '../model/probes/probe.ts';
import type { WantedProbe } from './wantedProbe.ts';

/** What became of a breakpoint at one statement. */
export interface PlaceOutcome {
  readonly at: Pick<ProbePlace, 'function' | 'inlinedIn' | 'file' | 'line' | 'text'>;
  /** It is asked where the function returns. */
  readonly isReturn: boolean;
  readonly state: 'bound' | 'pending' | 'refused';
  /** Why it was refused; a whole sentence. */
  readonly why: string | null;
  /** Values that are not there, with the reason. */
  readonly missing: readonly string[];
}

/** What became of a breakpoint. `reasons`: why statements that were found cannot be, in whole sentences. */
export function probeReport(
  probe: WantedProbe,
  match: Omit<StatementMatch, 'statements'>,
  reasons: readonly string[],
  outcomes: readonly PlaceOutcome[],
): Omit<ProbeReport, 'numbers'> {
  const isBound = outcomes.some(({ state }) => state === 'bound');
  const isPending = outcomes.some(({ state }) => state === 'pending');
  const state = !probe.request.isEnabled
    ? 'off'
    : isBound
      ? 'bound'
      : isPending
        ? 'pending'
        : 'failed';
  const why = [...(match.why === null ? [] : [match.why]), ...reasons];
  const stale = match.isStale
    ? [
        'The source is newer than the program: its lines may have moved. Build and restart it, or name the line by its text ("statement").',
      ]
    : [];
  const refused = outcomes.flatMap((one) => (one.why === null ? [] : [one.why]));
  return {
    id: probe.id,
    label: probeLabel(probe.request),
    stops: probe.request.stop !== undefined,
    invariant: probe.request.invariant ?? null,
    only: clausesOf(probe.request),
    state,
    reasons: [...why, ...new Set(refused)],
    nearest: match.nearest,
    moved: match.moved,
    places: outcomes.map(placeOf),
    notes: stale,
  };
}

/** Which of its hits are meant, a clause each. */
export function clausesOf({ condition, at, every, after, once, thread }: ProbeRequest): string[] {
  const clauses = [
    condition === undefined ? null : `if ${condition}`,
    thread === undefined ? null : `thread ${thread}`,
    at === undefined ? null : `hit ${at}`,
    after === undefined ? null : `after ${after}`,
    every === undefined ? null : `every ${every}`,
    once === true ? 'once' : null,
  ];
  return clauses.filter((clause) => clause !== null);
}

function placeOf({ at, isReturn, state, why, missing }: PlaceOutcome): ProbePlace {
  return { ...at, isBound: state === 'bound', isReturn, why, missing };
}
