import type { ExceptionKind, ProbeReport } from '../../model/probes/probe.ts';
import { probeReport } from '../probeReport.ts';
import type { WantedProbe } from '../wantedProbe.ts';

/** An exception at which threads are to stand still. */
export interface SourceRaise {
  /** The id of its breakpoint. */
  readonly key: string;
  /** Empty: any. */
  readonly type: string;
  /** Where nothing caught it; else where it comes to code of no library. */
  readonly isUncaught: boolean;
  /** Of those that are of the type. */
  readonly after: number;
  readonly every: number;
  /** 0: any number. */
  readonly most: number;
}

export function isRaise({ request: { where } }: WantedProbe, kind: ExceptionKind): boolean {
  return where.kind === 'exception' && where.exception === kind;
}

/** What these breakpoints want. */
export function raisesOf(probes: readonly WantedProbe[]): SourceRaise[] {
  return probes.flatMap(({ id, request }) => {
    const { where, at, after = 0, every = 0, once } = request;
    if (where.kind !== 'exception' || !request.isEnabled) return [];
    const limits =
      at === undefined
        ? { after, every, most: once === true ? 1 : 0 }
        : { after: at - 1, every: 0, most: 1 };
    const { type = '', isUncaught = false } = where;
    return [{ key: id, type, isUncaught, ...limits }];
  });
}

/** `isThere`: a program of the language runs. */
export function raiseReport(
  probe: WantedProbe,
  {
    language,
    isThere,
    means,
  }: {
    readonly language: string;
    readonly isThere: boolean;
    readonly means: NonNullable<ProbeReport['means']>;
  },
): ProbeReport {
  const match = { moved: null, isStale: false, why: null, nearest: [] };
  const { where } = probe.request;
  const isUncaught = where.kind === 'exception' && where.isUncaught === true;
  const at = isUncaught
    ? `where nothing catches an exception of ${language}`
    : `where an exception of ${language} comes to code of no library`;
  const reasons = isThere ? [] : [`It waits for a program of ${language}.`];
  const place = {
    at: { function: at, file: null, line: null, text: null },
    isReturn: false,
    missing: [],
    state: isThere ? ('bound' as const) : ('pending' as const),
    why: null,
  };
  const report = probeReport(probe, match, reasons, [place]);
  return { ...report, numbers: [], means: isThere ? means : null };
}
