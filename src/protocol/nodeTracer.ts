import type { Expression } from '../model/watches/expression.ts';

/**
 * What the daemon and the tracer inside a Node process tell each other. Declared here once; `npm run generate` derives
 * native/node/contract.h from it.
 *
 * The agent loads native/node at the exec, hands in what the process is entered with (`node_prepare`), and the path of
 * a file that says what is wanted (`node_want`), which all processes of a session map: u32 bytes · JSON of `NodeWishes`,
 * then for each source file JSON of its `WantedFunction`s. NODE_OPTIONS has Node load the preload (src/collector/node/preload)
 * before the program; the preload loads native/node once more, as an addon, and records through it.
 *
 * The addon's room is memory that the preload and it see: `nodeHead` numbers of 32 bits, then words of 64 bits. Whoever
 * calls `act()` has put an action there with what it takes; the answer is in `result`.
 *
 * The service is a socket of the daemon. A request is u32 bytes · JSON of `RewriteRequest`, the answer u32 bytes · JSON
 * of `RewriteAnswer`.
 *
 * The notes file holds lines: a word of `nodeNote`, a blank, a text.
 */
export const nodeHead = {
  action: 0,
  /** A kind of event, a kind of definition; of `ends` whether conditions are met, of `shares` one in so many, of `switches` whether it is on. */
  kind: 1,
  /** Of `defines` the line. */
  function: 2,
  /** The activation. */
  low: 3,
  high: 4,
  /** Words; of `defines` bytes of fields. */
  count: 5,
  result: 6,
  /** f64 in two numbers: what a call must take. */
  ns: 8,
  /** In two numbers: where the stack was when a breakpoint's condition called. */
  frame: 10,
  words: 16,
} as const;

/** Words; those from `fields` on are for the fields of definitions. */
export const nodeRoom = { words: 8192, fields: 4096 } as const;

export const nodeAction = {
  takesAndRecords: 1,
  records: 2,
  /** Also where nothing is recorded now. */
  takes: 3,
  counts: 4,
  ignores: 5,
  waits: 6,
  ends: 7,
  shares: 8,
  isRecording: 9,
  switches: 10,
  defines: 11,
  /** As `takes`, but of nothing while nothing is recorded. */
  begins: 12,
} as const;

/** A function's byte. */
export const nodeFlag = {
  off: 0,
  /** Each call is recorded. */
  on: 1,
  /** What is wanted has changed since. */
  look: 2,
  /** Something is asked of its calls. */
  asked: 3,
} as const;

export const nodeProblems = ['fits', 'noEngine', 'longPath', 'unknownVersion'] as const;

export type NodeProblem = (typeof nodeProblems)[number];

/** Of code that is in no file. */
export const untracedCode = {
  application:
    'The code of a single executable application is left as it is: only modules that it loads from files are traced. To trace its own functions, run its script with Node (node SCRIPT).',
  snapshot:
    'The code of a startup snapshot is left as it is: only modules that it loads from files are traced.',
} as const;

export const nodeNote = {
  /** The version. Its functions are recorded from now on. */
  started: 'started',
  /** It cannot be traced; why, as a whole sentence. */
  failed: 'failed',
  /** JSON of `ModuleNote`. */
  module: 'module',
  /** JSON of `UncaughtNote`. */
  uncaught: 'uncaught',
  /** JSON of `SiteNote`. */
  site: 'site',
  /** Only running code of the program could decide a condition; of what: a function, or a breakpoint by its label. */
  undecided: 'undecided',
} as const;

/** A module that was loaded. */
export interface ModuleNote {
  readonly path: string;
  /** Why it was left as it is; absent: it was not. */
  readonly why?: string;
  /** The files its functions are from, by its source map; absent: its own. */
  readonly sources?: readonly string[];
  /** Functions of it that were left as they are. */
  readonly left?: readonly RewrittenFunction[];
}

/** A breakpoint is set; `why`: it cannot be, a whole sentence. */
export interface SiteNote {
  readonly key: string;
  /** It was written into the text as that was loaded. */
  readonly isWritten?: true;
  /** Why it was not; absent: it was, or stops its thread, which V8 alone does. */
  readonly unwritten?: Unwritten;
  readonly why?: string;
}

/** `loaded`: its module was loaded before it was set; `otherThread`: another thread reads the module; `noPlace`: no call has a place there. */
export type Unwritten = 'loaded' | 'otherThread' | 'noPlace';

/** An exception as it tells of itself. */
export interface ToldException {
  readonly type: string;
  readonly message: string;
  /** Bytes of what was thrown where that is no error, in hexadecimal. */
  readonly value?: string;
  /** Innermost first. */
  readonly frames: readonly {
    readonly name: string;
    readonly file: string;
    readonly line: number;
  }[];
}

/** An exception that nothing caught, or a rejection that nothing handled. */
export interface UncaughtNote extends ToldException {
  readonly tid: number;
  /** Its thread is no worker: the program ends. */
  readonly isMain: boolean;
  readonly isRejection: boolean;
  /** Its `cause`, that one's, and so on. */
  readonly causes: readonly ToldException[];
}

export interface NodeWishes {
  /** By path of the file: where behind these JSON of its `WantedFunction`s is, and its bytes. */
  readonly files: Readonly<Record<string, readonly [start: number, bytes: number]>>;
  /** Breakpoints, by path of the file. */
  readonly sites?: Readonly<Record<string, readonly WantedSite[]>>;
  /** Exceptions at which threads stand still. */
  readonly raises?: readonly WantedRaise[];
  /** Absent: nothing starts or stops the recording. Another `triggers`: it begins anew, on or off. */
  readonly recording?: { readonly isOn: boolean; readonly triggers: string };
}

/** An exception at which threads stand still. */
export interface WantedRaise {
  readonly key: string;
  /** Of it, or of what it is derived from; empty: any that code of no library throws. */
  readonly type: string;
  readonly isUncaught: boolean;
  /** Of those that are of the type. */
  readonly after: number;
  readonly every: number;
  readonly most: number;
}

/** A breakpoint at a statement. */
export interface WantedSite extends SitePlace {
  /** Tells which it is. */
  readonly key: string;
  /** Of its hits. */
  readonly name: string;
  /** JSON of `TracedProbe`. */
  readonly probe: string;
  /** Variables that its expressions read. */
  readonly names: readonly string[];
  readonly captured: readonly { readonly text: string; readonly expression: WireExpression }[];
  readonly condition?: WireExpression;
  /** The condition is an invariant, and this names what all its places share. */
  readonly check?: string;
  /** Of hits that meet the condition those that are wanted; 0: no such limit. */
  readonly after: number;
  readonly every: number;
  readonly most: number;
  readonly levels: number;
  /** The thread stands still there. */
  readonly stops?: true;
}

/**
 * A thread that stands still asks what to do, by the socket that modules are rewritten by: the answer to each is a
 * `StandingOrder`. One that does not come lets the thread run on.
 */
export interface StandingRequest {
  readonly standing: {
    readonly pid: number;
    readonly tid: number;
    /** Of its stops. */
    readonly number: number;
  };
  /** Where it stands: with the first. */
  readonly said?: StandingNote;
  /** What was asked last came to; null: nothing that is known. */
  readonly answer?: string | null;
}

export interface StandingNote {
  /** Of the breakpoints it stopped at; none: a step ended. */
  readonly keys: readonly string[];
  readonly isPaused?: true;
  /** What is thrown there. */
  readonly raised?: ThrownNote;
  /** The newest first. */
  readonly frames: readonly StandingFrame[];
  /** How many there are. */
  readonly depth: number;
  /** What waits for them, the nearest first. */
  readonly awaiting: readonly AwaitingCall[];
}

/** A call of an async function that waits for another. `line`: 1, 2, …; 0: not known. */
export interface AwaitingCall {
  readonly name: string;
  readonly file: string;
  readonly line: number;
}

export interface ThrownNote {
  readonly type: string;
  readonly message: string;
}

/** What running a text came to, as JSON: the frames as they are then, and bytes of its value, or what was thrown. */
export interface RanNote {
  readonly frames: readonly StandingFrame[];
  readonly value?: string;
  readonly raised?: string;
}

export interface StandingFrame {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** Of its variables. */
  readonly names: readonly string[];
  /** Too deep: its variables were not read. */
  readonly isUnread?: true;
  /** Theirs, one behind the other (model/values/dynamicValue.ts), in hexadecimal. */
  readonly values: string;
}

export type StandingOrder =
  /** Asks again. */
  | { readonly do: 'wait' }
  /** Takes what is wanted now: the answer is null. */
  | { readonly do: 'want' }
  | { readonly do: 'go' }
  | {
      readonly do: 'evaluate';
      readonly frame: number;
      readonly names: readonly string[];
      readonly expression: WireExpression;
    }
  /** An expression or statements of JavaScript: the answer is a `RanNote`. */
  | { readonly do: 'run'; readonly frame: number; readonly text: string }
  | { readonly do: 'step'; readonly kind: 'over' | 'into' | 'out' }
  | { readonly do: 'until'; readonly file: string; readonly line: number };

/** Where a statement begins in its file: line and column from 1, and from 0 in characters. */
export interface SitePlace {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly isResult: boolean;
  /** Its first word. */
  readonly word: string;
}

export interface WantedFunction {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  /** In characters; tells which it is. */
  readonly offset: number;
  readonly flags: number;
  readonly parameters: readonly string[];
  /** How deep values are kept; 0: as usual. */
  readonly levels: number;
  readonly policy?: WantedPolicy;
  readonly watches?: readonly WantedWatch[];
  /** Invariants where its calls return; what they read is `names`. */
  readonly checks?: readonly WantedSite[];
}

/** `CallPolicy`, as far as it is not the usual one. */
export interface WantedPolicy {
  readonly every?: number;
  readonly first?: number;
  readonly depth?: number;
  readonly leastNs?: number;
  readonly when?: WireExpression;
  readonly whenReturn?: WireExpression;
  readonly start?: boolean | WireExpression;
  readonly stop?: boolean | WireExpression;
}

export interface WantedWatch {
  readonly number: number;
  /** Bits of `watchAt` (record.ts). */
  readonly at: number;
  readonly expression: WireExpression;
}

/** An expression in JSON: whole numbers are texts of digits there. */
export type WireExpression = Wire<Expression>;
type Wire<T> = T extends bigint
  ? string
  : T extends string | number | boolean
    ? T
    : { readonly [K in keyof T]: Wire<T[K]> };

export type ModuleFormat = 'commonjs' | 'module' | 'script';

export interface RewriteRequest {
  readonly path: string;
  readonly format: ModuleFormat;
  readonly text: string;
  /** It runs already: what is asked for is where its functions begin and end. */
  readonly isLive?: boolean;
  /** It is asked for the places of these statements: the answer is a `PlacesAnswer`. */
  readonly sites?: readonly (SitePlace & { readonly file: string })[];
  /** Breakpoints that are to be written into the text. */
  readonly probes?: readonly WrittenProbe[];
  /** Its text is to come with a source map; the key of the module has so many characters. */
  readonly mapFor?: number;
}

/** A breakpoint, and the variables that it reads, in the order in which its reader has them. */
export interface WrittenProbe extends SitePlace {
  readonly file: string;
  readonly names: readonly string[];
}

/** `inserts`: pairs of a position in the text and what is put there; `functions`: by index. */
export type RewriteAnswer =
  | {
      readonly inserts: readonly (readonly [position: number, text: string])[];
      readonly functions: readonly RewrittenFunction[];
      /** Variables of the module, in the order in which its reader has them. */
      readonly variables?: readonly string[];
      /** Of each breakpoint that was asked for whether it is written. */
      readonly isWritten?: readonly boolean[];
      /** What leads readers of the text to the original: a comment for its end. */
      readonly map?: string;
    }
  | { readonly why: string };

/** Where statements of source files are in a text, in their order; null: it does not hold one. */
export type PlacesAnswer =
  { readonly places: readonly (TextPlace | null)[] } | { readonly why: string };

/** Names of threads that the tracer begins. `link`: it answers the daemon in a process that entered itself. */
export const nodeThread = { link: 'strobe-link' } as const;

export interface TextPlace {
  readonly offset: number;
  /** It is the expression that an arrow function gives. */
  readonly isResult: boolean;
  /** Variables that can be read there. */
  readonly names: readonly string[];
}

export interface RewrittenFunction {
  /** Of the definition, as the resolver tells it; `nowhere` (rewrittenModule.ts): the source does not have it. */
  readonly offset: number;
  /** The file it is from where a source map says another; absent: the module. */
  readonly file?: string;
  /** Why it was left as it is; absent: it was not. */
  readonly why?: string;
  /** Of a live module. */
  readonly live?: LiveFunction;
}

/** A function in a text that runs. */
export interface LiveFunction {
  /** Where its code begins and its definition ends, in characters. */
  readonly body: number;
  readonly end: number;
  /** Its calls may suspend. */
  readonly suspends: boolean;
  /** Expressions of what an enter carries. */
  readonly values: readonly string[];
}
