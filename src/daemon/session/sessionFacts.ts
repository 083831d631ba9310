import type { QueryClient } from '../../db/queryClient.ts';
import { crashNotes } from '../../model/endings/crashLine.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SessionId } from '../../model/ids.ts';
import type { SessionView } from '../../model/session.ts';
import type { Log } from '../log.ts';
import type { StackParts } from '../postMortem/explainSnapshot.ts';
import type { RuntimeList } from '../tracing/runtimeList.ts';
import type { KeptProbe } from '../tracing/sessionProbes.ts';
import type { Client } from '../request.ts';
import type { WatchRequest } from '../../model/watches/watch.ts';
import type { AskedPattern, PatternRequest } from '../tracing/patternRequest.ts';

/** What a session needs of the daemon around it. */
export interface SessionParts {
  readonly runtimes: RuntimeList;
  /** What describes the stacks of processes, dead or alive. */
  readonly stacks: StackParts;
  readonly queries: QueryClient;
  readonly log: Log;
}

/** Bounds of one session, from the settings at its launch. */
export interface SessionLimits {
  readonly ringSlots: number;
  /** Of a thread's ring at most; a power of two. */
  readonly ringBytes: number;
  /** Of a function that is called faster, one call in `every` is recorded. */
  readonly sampling: { readonly callsPerSecond: number; readonly every: number };
  readonly maxEvents: number;
  readonly maxOutputBytes: number;
  /** Of all rings of a process, beyond what they begin with. */
  readonly maxOverflowBytes: number;
  /** A thread is stopped for at most this time. */
  readonly stopMs: number;
  /** A program of the project is entered also when nothing of it is traced. */
  readonly blackBox: boolean;
  /** Values whose names hold one of these are not captured (model/redaction). */
  readonly secretNames: readonly string[];
}

/** What is fixed from the launch on. */
export interface SessionFacts {
  readonly id: SessionId;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly projectRoot: string;
  /** The ELF file that runs. */
  readonly image: string;
  readonly directory: string;
  readonly storePath: string;
  readonly startNs: bigint;
  readonly startedAtMs: number;
  readonly owner: Client;
  readonly onClientExit: 'stop' | 'detach' | 'keep';
  readonly stdin: SessionView['stdin'];
  readonly requestId: string | null;
  /** Whether programs that the tree executes are traced, too. */
  readonly follow: 'all' | 'none';
  /** False: the caller's own terminal; the output is not ours. */
  readonly capturesOutput: boolean;
  /** It ran before: it has no supervisor, and is not ours to end when something of ours fails. */
  readonly isAttached: boolean;
  readonly limits: SessionLimits;
}

/** What the catalogue keeps of a session that is not finished, for a daemon that takes it over. */
export interface Heritage extends Pick<
  SessionFacts,
  'image' | 'requestId' | 'follow' | 'capturesOutput' | 'isAttached' | 'limits'
> {
  readonly patterns: readonly AskedPattern[];
  readonly watches?: readonly WatchRequest[];
  readonly breakpoints?: readonly KeptProbe[];
  /** Of patterns that are added without one. */
  readonly depth?: number | null;
  /** Of the main process, in /proc; null before it exists. */
  readonly startTime: string | null;
}

/** What another daemon needs to go on with a session. */
export function heritageOf(
  { image, requestId, follow, capturesOutput, isAttached, limits }: SessionFacts,
  wanted: Required<Pick<Heritage, 'watches' | 'breakpoints' | 'depth'>> & {
    readonly patterns: readonly PatternRequest[];
  },
  startTime: string | null,
): Heritage {
  const own = { image, requestId, follow, capturesOutput, isAttached, limits };
  const patterns = wanted.patterns.map(({ asked }) => asked);
  return { ...own, ...wanted, patterns, startTime };
}

/** Nothing of it runs any more; what crashed in it is said again. */
export function sessionEnded(session: {
  readonly facts: SessionFacts;
  readonly notes: readonly string[];
}): StrobeError {
  const said = [`Session ${session.facts.id} has no running program.`, ...crashNotes(session)];
  return new StrobeError('SESSION_ENDED', said.join(' '));
}
