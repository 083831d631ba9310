import type { ScalarType } from '../values/scalarType.ts';
import type { StatementWhere } from '../functions/foundStatement.ts';

/** Where a breakpoint is. */
export type ProbeWhere =
  | Extract<StatementWhere, { kind: 'line' | 'text' }>
  /** Where calls of the traced functions that the pattern means return. */
  | { readonly kind: 'return'; readonly pattern: string }
  /** Each line of the traced functions that the pattern means. */
  | { readonly kind: 'lines'; readonly pattern: string }
  /** The body of each function that the pattern means. */
  | { readonly kind: 'function'; readonly pattern: string }
  /** Run-time address of the main process. */
  | { readonly kind: 'address'; readonly address: string }
  /** Where data is touched. `at`: where it lies, found in the frame of a stop; absent: it is global. */
  | {
      readonly kind: 'data';
      readonly expression: string;
      readonly access: TouchKind;
      readonly at?: WatchedPlace;
    }
  /** Where an exception is raised. `type`: a pattern of its type, or of one it is derived from; absent: any. */
  | {
      readonly kind: 'exception';
      readonly exception: ExceptionKind;
      readonly type?: string;
      /** Only those that nothing caught. */
      readonly isUncaught?: boolean;
    };

/** `access`: reads, too. */
export type TouchKind = 'write' | 'access';

/** Data that a debug register can watch. */
export interface WatchedPlace {
  /** Hexadecimal. */
  readonly address: string;
  readonly bytes: number;
  readonly scalar: ScalarType;
}

/** Whose exceptions: those C++ throws, panics of Rust, those of Python and JavaScript. */
export const exceptionKinds = ['cpp', 'panic', 'python', 'js'] as const;
export type ExceptionKind = (typeof exceptionKinds)[number];
/** Of these a breakpoint may mean only those that are caught, or only those that are not. */
export const caughtKinds: readonly ExceptionKind[] = ['python', 'js'];

/** A breakpoint that records and does not stop, as it was asked for. */
export interface ProbeRequest {
  readonly where: ProbeWhere;
  readonly label?: string | undefined;
  readonly condition?: string | undefined;
  /** It is checked at each hit: one that finds it broken for the first time, or again, is recorded. */
  readonly invariant?: string | undefined;
  /** Of hits that meet the condition: `at`: only that one; `every`: one in this many; `after`: those after this many; `once`: the first. */
  readonly at?: number | undefined;
  readonly every?: number | undefined;
  readonly after?: number | undefined;
  readonly once?: boolean | undefined;
  /** Only hits of threads of this name (at most 15 bytes), or of the one with this id. */
  readonly thread?: string | undefined;
  /** A text with expressions in braces. */
  readonly log?: string | undefined;
  /** Who stands still at a hit; absent: nobody, it is recorded. */
  readonly stop?: 'thread' | 'process' | undefined;
  readonly values: readonly string[];
  readonly locals: boolean;
  readonly isEnabled: boolean;
}

/** A place in code where it is, or would be. */
export interface ProbePlace {
  readonly function: string;
  /** The function with code of its own where it is inlined; absent: it is nowhere. */
  readonly inlinedIn?: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly text: string | null;
  /** In some process. */
  readonly isBound: boolean;
  /** It is where a function returns. */
  readonly isReturn: boolean;
  /** Why not; null: it is, or waits. */
  readonly why: string | null;
  /** Values that are not there, with the reason. */
  readonly missing: readonly string[];
}

/** What became of a breakpoint. */
export interface ProbeReport {
  readonly id: string;
  readonly label: string;
  /** It stops threads, and leaves no record. */
  readonly stops: boolean;
  readonly invariant: string | null;
  /** Which of its hits are meant, a clause each. */
  readonly only?: readonly string[];
  readonly state: 'bound' | 'pending' | 'failed' | 'off';
  /** Whole sentences. */
  readonly reasons: readonly string[];
  readonly nearest: readonly number[];
  readonly moved: { readonly from: number; readonly to: number; readonly why: string } | null;
  readonly places: readonly ProbePlace[];
  /** Numbers under which its hits are stored. */
  readonly numbers: readonly number[];
  readonly notes: readonly string[];
  /** How it is in the code where that is not a jump. */
  readonly means?: 'trap' | 'v8' | 'rewrite' | 'python' | null;
  /** What a hit costs, if that is much. */
  readonly cost?: string;
  /** Of one that stops: it leaves no record. */
  readonly counts?: { readonly hits: number; readonly met: number };
}

export const mostProbes = 64;

/** What a thread filter means; an id that is 0 and an empty name: any thread. */
export interface ThreadFilter {
  readonly id: number;
  readonly name: string;
}

export function threadFilter(thread: string | undefined): ThreadFilter {
  if (thread === undefined) return { id: 0, name: '' };
  return /^[1-9]\d{0,8}$/.test(thread) ? { id: Number(thread), name: '' } : { id: 0, name: thread };
}

const raisedWords = {
  cpp: 'throw',
  panic: 'panic',
  python: 'raise',
  js: 'throw',
} as const satisfies Record<ExceptionKind, string>;

/** The name of a breakpoint in answers and questions. */
export function probeLabel({ label, where, invariant }: ProbeRequest): string {
  if (label !== undefined) return label;
  if (invariant !== undefined && where.kind === 'return') return invariant;
  switch (where.kind) {
    case 'line':
      return `${where.file}:${where.line}`;
    case 'text':
      return `${where.file}: ${where.text}`;
    case 'lines':
      return `lines of ${where.pattern}`;
    case 'return':
      return `return of ${where.pattern}`;
    case 'function':
      return `${where.pattern}()`;
    case 'address':
      return where.address;
    case 'data':
      return `${where.access} ${where.expression}`;
    case 'exception':
      return [
        ...(where.isUncaught === true ? ['uncaught'] : []),
        raisedWords[where.exception],
        ...(where.type === undefined ? [] : [where.type]),
      ].join(' ');
  }
}
