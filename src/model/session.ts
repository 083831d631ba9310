import type { ErrorCode } from './errors.ts';
import type { UnitSummary } from './functions/traceable.ts';
import type { SessionId, SessionNs } from './ids.ts';
import type { ExitStatus, OutputLine } from './outputRecord.ts';
import type { CallView, StoreSummary } from './questions/query.ts';
import type { ProbeReport } from './probes/probe.ts';
import type { ProcessLook } from './endings/threadLook.ts';
import type { TraceReport } from './functions/hookReport.ts';

/** Where a session is in its life. A state holds what exists in it. */
export type SessionState =
  /** `doing`: what it waits for, as a short phrase (`reading symbols`). */
  | { readonly kind: 'starting'; readonly doing: string }
  | { readonly kind: 'running' }
  /** The main process ended. `by`: who ended it. */
  | {
      readonly kind: 'ended';
      readonly exit: ExitStatus;
      readonly at: SessionNs;
      readonly by: EndedBy;
    }
  /** Let go; the program lives on without us. */
  | { readonly kind: 'released'; readonly at: SessionNs }
  /** It never ran, or we lost it. `at`: when that was noticed. */
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string;
      readonly at: SessionNs;
    };

/** `itself`: by its own exit or fault; `stop`: debug_session stop; `clientExit`: its owner went. */
export type EndedBy = 'itself' | 'stop' | 'clientExit' | 'daemonStop';

/** Whether calls can be captured. */
export type Tracing =
  | { readonly kind: 'off'; readonly reason: 'no patterns were given' }
  | { readonly kind: 'armed' }
  /** Output and exit status are captured all the same. */
  | {
      readonly kind: 'unavailable';
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string;
    };

/** Sums over all active patterns. */
export interface HooksSummary {
  readonly patterns: readonly string[];
  readonly matched: number;
  readonly hooked: number;
  readonly inlined: number;
  readonly refused: number;
  /** Functions that match and must not be hooked. */
  readonly leftOut: number;
  /** Functions of libraries that are not loaded yet. */
  readonly waiting: number;
  /** What patterns ask of calls that are recorded, by pattern: `when "x > 1"`; absent: nothing. */
  readonly limits?: readonly { readonly pattern: string; readonly asks: string }[];
  /** All patterns came with the launch or the attach; absent: not all. */
  readonly fromStart?: true;
}

/** Whether calls of one process are captured. */
export type ProcessTracing =
  | { readonly kind: 'traced'; readonly hooked: number }
  /** `reason`: a short phrase; null when no pattern asks for its program. */
  | { readonly kind: 'untraced'; readonly reason: string | null };

/** Why a program is untraced that is neither the project's nor the system's. */
export const outsideProject = 'its program is outside the project';

/** How the notes begin that say what an attach cannot see: true from its first answer on. */
export const attachNotes = {
  output: 'Output: from now on',
  children: 'Programs that it starts are not followed',
} as const;

/** How the note begins that says why functions of an engine's own language are not traced in its programs. */
export const engineNote = 'JavaScript functions of ';

/** That note, also as its first sentence and what to do; null: they are, or no engine runs. */
export function engineRefusal({
  notes,
}: Pick<SessionView, 'notes'>): { note: string; why: string; hint: string } | null {
  const note = notes.find((text) => text.startsWith(engineNote));
  if (note === undefined) return null;
  const end = note.indexOf('. ') + 1;
  return { note, why: note.slice(0, end), hint: note.slice(end + 1) };
}

/** One process of a session's tree. */
export interface ProcessView {
  readonly pid: number;
  /** Null when it is not known. */
  readonly parent: number | null;
  /** argv of the program it runs, or ran last. */
  readonly command: readonly string[];
  readonly startedAt: SessionNs;
  /** So many processes of the same command, this one the newest, ended or live in the same way. */
  readonly alike: number;
  /** Programs it has been, one after the other. */
  readonly programs: number;
  /** Null while it lives; `exit` is null when nobody saw its status. */
  readonly ended: { readonly exit: ExitStatus | null; readonly at: SessionNs } | null;
  readonly tracing: ProcessTracing;
}

/** How the remark begins that something of ours stayed in a process that was let go. */
export const NOT_LEFT = 'All hooks are removed, but not everything of ours left';

/** All processes of a session's tree, the main one among them. */
export interface ProcessesView {
  readonly running: number;
  readonly ended: number;
  /** Of `ended`: by a signal or with another code than 0. */
  readonly failed: number;
  /** What following has cost: programs executed, and how long they waited in all. */
  readonly followed?: { readonly programs: number; readonly waitedNs: number } | undefined;
  /** At most 50 kinds, what says most first: failed, traced, running. */
  readonly shown: readonly ProcessView[];
}

/** `cli`: the commands of a terminal; `run`: one `strobe run`. */
export type ClientKind = 'mcp' | 'cli' | 'run' | 'editor';

/** What is known about the program's own modules. */
export interface DebugInfoReport {
  /** Modules with DWARF or at least symbols. */
  readonly found: readonly UnitSummary[];
  /** Absolute paths of project modules without any. */
  readonly missing: readonly string[];
  /** How to build with debug information, one sentence with the flags; null when nothing is missing. */
  readonly advice: string | null;
  readonly buildSystem: string | null;
}

/** What a client has read of a session in earlier answers. */
export interface KnownSession {
  /** Its notes, as they were written. */
  readonly notes: ReadonlySet<string>;
  /** `lineKey` of the last line of output that was shown; null: none was. */
  readonly lastLine: string | null;
  /** What of the signs in answers was explained. */
  readonly legends: ReadonlySet<string>;
}

/** A session as it is at `now`: everything an answer may say about it without asking the store. */
export interface SessionView {
  readonly id: SessionId;
  /** argv as given: the program first. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly projectRoot: string;
  readonly state: SessionState;
  /** Session time at which this view was made; ages are counted from it. */
  readonly now: SessionNs;
  /** Wall-clock milliseconds since 1970 of session time 0. */
  readonly startedAtMs: number;
  /** Main process; null before it exists. */
  readonly pid: number | null;
  /** `native` with its languages (`native (C++, C)`), or the runtime's name. */
  readonly runtime: string;
  readonly tracing: Tracing;
  readonly hooks: HooksSummary;
  readonly processes: ProcessesView;
  readonly owner: {
    readonly clientId: string;
    readonly kind: ClientKind;
    /** True when the asking client owns it, or a `strobe run` of its terminal. */
    readonly mine: boolean;
  };
  /** Its owner was killed and will not come back: nobody else ends the program. */
  readonly ownerIsGone?: true;
  readonly onClientExit: 'stop' | 'detach' | 'keep';
  /** `terminal`: a pseudo-terminal, for output too. */
  readonly stdin: 'open' | 'closed' | 'terminal';
  /** No output is recorded: of `strobe run` it goes where the terminal has it, a core file has none. */
  readonly outputPassesBy?: true;
  /** It was launched with `redact: false`: values whose names look like secrets are captured. */
  readonly capturesSecrets?: true;
  /** What debug_ui reads; absent: it was launched without a display of its own. */
  readonly shows?: 'windows' | 'pages';
  /** It ran before it was attached to; absent: it was launched. */
  readonly attached?: true;
  /** The file it runs, where its command is a title that it wrote over its arguments. */
  readonly image?: string;
  /** Absent: no answer has introduced it to the client that asks. */
  readonly known?: KnownSession;
  /** Whole sentences about anything unusual; shown in every answer that shows the session. */
  readonly notes: readonly string[];
}

/** Answer of debug_launch. */
export interface LaunchReport {
  readonly session: SessionView;
  /** The same requestId was seen before: this is the session it started. */
  readonly reused: boolean;
  readonly pendingPatternsApplied: number;
  /** Projects whose next launch has patterns or watches staged that this one left alone. */
  readonly elsewhere?: readonly string[];
  /** Its own program is the system's (a shell, make, an interpreter): patterns mean what it executes. */
  readonly isSystemProgram?: boolean;
  /** Null when no patterns were given. */
  readonly trace: TraceReport | null;
  /** As they are when it is answered. */
  readonly breakpoints?: readonly ProbeReport[];
  readonly debugInfo: DebugInfoReport;
  /** The first lines the program wrote, when it had ended before the answer; else empty. */
  readonly output: readonly OutputLine[];
  /** Milliseconds from the request to the program running with its hooks. */
  readonly tookMs: number;
}

/** Answer of debug_session status. */
export interface StatusReport {
  readonly session: SessionView;
  readonly summary: StoreSummary;
  /** Every active pattern and what became of it; null when only the sums are known. */
  readonly trace: TraceReport | null;
  /** The last lines of output, in order of time. */
  readonly outputTail: readonly OutputLine[];
  /** As of a wait. */
  readonly indexedTo: SessionNs | null;
  /** What the threads of the main process do; null when it does not run. */
  readonly look: ProcessLook | null;
}

/** Answer of debug_session list. */
export interface ListReport {
  readonly scope: 'mine' | 'all';
  /** Only sessions in this state are in it; null: all. */
  readonly state: string | null;
  /** Sessions of other clients, which the scope leaves out. */
  readonly others: number;
  /** The latest first. */
  readonly sessions: readonly SessionView[];
  readonly cursor: string | null;
  readonly total: number;
}

/** What a wait may end with. */
export type WaitedFor = 'exit' | 'output' | 'event' | 'idle';

/** Answer of debug_session wait. */
export interface WaitReport {
  readonly session: SessionView;
  readonly summary: StoreSummary;
  readonly waitedFor: readonly WaitedFor[];
  /** The text or pattern output or events had to match. */
  readonly match: string | null;
  readonly result:
    | { readonly kind: 'happened'; readonly what: WaitedFor }
    /** The limit passed. */
    | { readonly kind: 'timeout' }
    /** What was waited for can no longer happen: the program has ended. */
    | { readonly kind: 'ended' }
    /** Only an event was waited for, and nothing is hooked that it could be of. `why`: a clause; `stops`: breakpoints stop threads. */
    | { readonly kind: 'impossible'; readonly why: string; readonly stops: boolean };
  readonly waitedMs: number;
  readonly timeoutMs: number;
  readonly output: {
    /** The last, in order of time. */
    readonly lines: readonly OutputLine[];
    readonly total: number;
    /** `fitting`: those that match; `all`: of the whole session; `since`: since `after`, or the wait began. */
    readonly which: 'fitting' | 'all' | 'since';
  };
  /** How far the index came, where it is behind what the program did; null: it holds everything. */
  readonly indexedTo: SessionNs | null;
  /** For `event`: the calls and hits of breakpoints that fitted. */
  readonly calls: readonly CallView[];
  /** Goes on from here when given as `after`. */
  readonly cursor: string;
}

/** Answer of debug_session stop. */
export interface StopReport {
  readonly session: SessionView;
  readonly summary: StoreSummary;
  /** What it took: it had ended before, it obeyed TERM, it had to be killed. */
  readonly how: 'hadEnded' | 'terminated' | 'killed';
  /** Kept longer than sessions usually are (settings `retention`). */
  readonly retained: boolean;
  /** When retention removes it, in milliseconds since 1970. */
  readonly keptUntilMs: number;
  /** As of a wait. */
  readonly indexedTo: SessionNs | null;
  readonly outputTail: readonly OutputLine[];
}

/** Answer of debug_session retain. */
export interface RetainReport {
  readonly session: SessionView;
  /** When retention removes it, in milliseconds since 1970; null while it runs. */
  readonly keptUntilMs: number | null;
  /** How long after its end. */
  readonly days: number;
}

/** Answer of debug_session input. */
export interface InputReport {
  readonly session: SessionView;
  /** Of a wait for what comes after the input. */
  readonly cursor: string;
  /** Bytes the program's pipe has taken. */
  readonly bytes: number;
  /** The input was closed after them. */
  readonly eof: boolean;
}
