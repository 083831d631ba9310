import { z } from 'zod';
import { patternParameter } from './tools/parameters.ts';

/**
 * `strobe run`: the command line starts the session's supervisor itself, so that the program has the
 * caller's own terminal, and leaves the rest to the daemon.
 *
 *   strobe/run/prepare ─▶ session and supervisor's launch spec
 *   (client starts the supervisor: its descriptors inherited, and two more for spec and launch answer, whose numbers
 *   follow `args` unless they are 3 and 4)
 *   strobe/run/start   ─▶ the daemon takes the supervisor over, arms the hooks, lets the program run
 *   strobe/run/live    ─▶ what it did since, while it runs
 *   strobe/run/wait    ─▶ exit status and report, once the whole tree has ended
 */
export const runMethods = {
  prepare: 'strobe/run/prepare',
  start: 'strobe/run/start',
  live: 'strobe/run/live',
  wait: 'strobe/run/wait',
  abandon: 'strobe/run/abandon',
} as const;

export const runPrepareRequest = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()),
  cwd: z.string().min(1),
  /** The whole environment of the program. */
  env: z.record(z.string(), z.string()),
  projectRoot: z.string().min(1),
  patterns: z.array(patternParameter).max(64),
  follow: z.enum(['all', 'none']),
  /** Bit n: descriptor n, of 0 to 2, was closed where the command was typed, and is in the program. Absent: none. */
  closedStreams: z.int().min(0).max(7).optional(),
  /** Bit n-1: signal n was ignored there (nohup). */
  ignoredSignals: z.int().min(0).max(0x7fff_ffff),
});

export const runStartRequest = z.strictObject({
  sessionId: z.string().min(1),
  /** The supervisor's launch answer (protocol/supervisor `supervisorAnswer`) as it came over fd 4. */
  supervisorAnswer: z.base64(),
});

export const runWaitRequest = z.strictObject({
  sessionId: z.string().min(1),
  /** Tokens the report may have. */
  budget: z.int().min(200).max(1_000_000),
  /** What the report shows beside a crash. Absent: both. */
  views: z
    .array(z.enum(['stats', 'tree']))
    .min(1)
    .max(2)
    .optional(),
});

export const runLiveRequest = z.strictObject({
  sessionId: z.string().min(1),
  /** `upTo` of the answer before; -1: from the start. */
  after: z.int().min(-1),
});

export const runAbandonRequest = z.strictObject({
  sessionId: z.string().min(1),
  reason: z.string(),
});

export type RunPrepareRequest = z.output<typeof runPrepareRequest>;
export type RunStartRequest = z.output<typeof runStartRequest>;
export type RunWaitRequest = z.output<typeof runWaitRequest>;
export type RunLiveRequest = z.output<typeof runLiveRequest>;
export type RunAbandonRequest = z.output<typeof runAbandonRequest>;

export interface RunPrepared {
  readonly sessionId: string;
  readonly sessionDir: string;
  readonly supervisor: {
    /** The supervisor's executable. */
    readonly path: string;
    readonly args: readonly string[];
    /** Launch spec, base64. */
    readonly spec: string;
  };
}

export interface RunStarted {
  /** The program's; signals to `strobe run` are passed on to it. */
  readonly pid: number;
  readonly notes: readonly string[];
}

export interface RunLive {
  /** In order of time; whole lines of text. */
  readonly lines: readonly string[];
  /** Session time up to which all is shown. */
  readonly upTo: number;
  /** The program has ended, and this was all. */
  readonly isOver: boolean;
}

export interface RunEnded {
  readonly exit:
    | { readonly kind: 'exited'; readonly code: number }
    | { readonly kind: 'signalled'; readonly signal: string; readonly number: number };
  /** Whole sentences about the session; those of its start are among them. */
  readonly notes: readonly string[];
  /** The report as text: header, tree or output, next steps. */
  readonly report: string;
  readonly structured: object;
}
