import type {
  RewrittenFunction,
  WantedFunction,
  WantedPolicy,
  WantedSite,
  WantedWatch,
} from '../../../protocol/nodeTracer.ts';

/** A module of this thread whose functions call the hooks. */
export interface RewrittenModule {
  readonly path: string;
  readonly functions: readonly RewrittenFunction[];
  /** A byte of `nodeFlag` for each. */
  readonly flags: Uint8Array;
  /** What was wanted when those were written. */
  readonly generation: Uint32Array;
  readonly plans: (Plan | null)[];
  readonly variables: readonly string[];
  /** Reads one of these; throws where it has no value yet. */
  read: ((index: number) => unknown) | null;
}

/** How calls of one function are recorded. */
export interface Plan {
  readonly fn: WantedFunction;
  /** 0: it has none yet, as none of its calls was recorded. */
  number: number;
  readonly count: number;
  readonly parameters: readonly string[];
  readonly levels: number;
  readonly policy: WantedPolicy;
  readonly watches: readonly WantedWatch[];
  /** Invariants where its calls return. */
  readonly checks: readonly WantedSite[];
  readonly file: string;
  readonly module: RewrittenModule;
  /** Something is asked at the ends of its calls. */
  readonly isAsked: boolean;
  /** Of `first`. */
  left: number;
  /** The engine takes a share of its calls: it is asked before values are written. */
  isSampled: boolean;
}
