import type { Evaluated, EvaluateRequest } from '../../model/debug/evaluated.ts';
import type { LineRanges } from '../../model/debug/lineCode.ts';
import type { CrashReport, VariablesOf } from '../../model/endings/crashReport.ts';
import type { Snapshot } from '../../model/endings/snapshot.ts';
import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import type { StatementMatch, StatementWhere } from '../../model/functions/foundStatement.ts';
import type { VariableMatch } from '../../model/functions/foundVariable.ts';
import type { PatternMatch } from '../../model/functions/traceable.ts';
import type { Pattern } from '../../model/names/pattern.ts';
import type { Outcome } from '../../model/problem.ts';
import type { AdapterSettings } from '../debug/adapters/chosenAdapter.ts';
import type { AgentLinks } from '../frida/agentLinks.ts';
import type { HostPool } from '../frida/hostPool.ts';
import type { Value } from '../../model/questions/query.ts';
import type { Depth } from '../../model/values/shape.ts';
import type { ValueType } from '../../model/values/valueType.ts';
import type { TracedSession } from '../tracer.ts';

/** What the native tracer asks of those who read symbols. */
export interface NativeCode {
  find(
    units: readonly string[],
    pattern: Pattern,
    options: {
      readonly projectRoot: string;
      readonly isOnlyWhether?: boolean;
      /** What pointers lead to; absent: nothing. */
      readonly depth?: Depth;
    },
  ): Promise<Outcome<PatternMatch<FoundFunction>>>;
  statements(
    units: readonly string[],
    where: StatementWhere,
    wanted: {
      readonly names: readonly string[] | null;
      readonly depth: number;
      /** Where relative paths of sources begin. */
      readonly projectRoot?: string;
    },
  ): Promise<StatementMatch>;
  /** The line of the instruction at an offset of a module, counted from where that begins in memory. */
  lineRanges(module: string, offset: number): Promise<LineRanges | null>;
  variables(units: readonly string[], name: string, depth: number): Promise<VariableMatch>;
  /** Linkage names as people read them. */
  readable(names: readonly string[]): Promise<readonly string[]>;
  /** Stacks of a process of a session, without values that look like secrets. */
  explain(snapshot: Snapshot, session: TracedSession): Promise<CrashReport>;
  /** Of each thread a report of that thread alone, in their order. */
  explainThreads(
    snapshot: Snapshot,
    session: TracedSession,
    variablesOf: VariablesOf,
  ): Promise<readonly CrashReport[]>;
  /** An expression in a frame of the first thread, or without threads of globals; nothing that looks like a secret. */
  evaluate(
    snapshot: Snapshot,
    session: TracedSession,
    request: EvaluateRequest,
  ): Promise<Evaluated>;
}

/** Values as the store reads them. */
export interface NativeValues {
  readonly decode: (type: ValueType, bytes: Buffer) => Value;
  readonly text: (value: Value) => string;
}

/** What the native tracer is made of. */
export interface NativeParts {
  readonly hosts: HostPool;
  /** Where other tracers find its agents. */
  readonly agents: AgentLinks;
  readonly agentSource: () => Promise<string>;
  readonly enginePath: string;
  /** Tells who writes to a place (native/spotter). */
  readonly spotterPath: string;
  /** Stops threads (native/stopper). */
  readonly stopperPath: string;
  /** Debuggers of others. */
  readonly adapters: AdapterSettings;
  /** Traces programs of Go from outside (native/outside), by what lies at the second path. */
  readonly outsidePath: string;
  readonly outsideTargetPath: string;
  /** Bounds a captured text. */
  readonly stringBytes: number;
  readonly code: NativeCode;
  readonly values: NativeValues;
  readonly warn: (message: string, detail: Record<string, unknown>) => void;
}
