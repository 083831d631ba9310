import { StrobeError } from '../../model/errors.ts';
import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import type { Expression } from '../../model/watches/expression.ts';
import type { LaunchSpec } from '../supervisor/launchSpec.ts';
import type {
  SessionTracer,
  TraceableProcess,
  TracedSession,
  Tracer,
  TracerSink,
} from '../tracer.ts';
import { projectSources } from './projectSources.ts';
import { whyPythonUndecided } from './pythonCondition.ts';
import type { PythonParts } from './pythonParts.ts';
import { PythonProcess } from './pythonProcess.ts';

/** The Python interpreters of one session. */
export class PythonSession implements SessionTracer<SourceFunction> {
  readonly #session: TracedSession;
  readonly #parts: PythonParts;
  readonly #sink: TracerSink;
  #sources: readonly string[] | null = null;

  constructor(session: TracedSession, parts: PythonParts, sink: TracerSink) {
    this.#session = session;
    this.#parts = parts;
    this.#sink = sink;
  }

  prepare(spec: LaunchSpec): LaunchSpec {
    return spec;
  }

  /** Functions are numbered in the processes. */
  continueFrom(): void {
    return;
  }

  whyUndecided(when: Expression, fn: SourceFunction, atReturn: boolean): string | null {
    if (atReturn) return 'what a Python function returns is not decided: filter it with "where"';
    return whyPythonUndecided(when, fn);
  }

  async enter(process: TraceableProcess): Promise<Tracer<SourceFunction>> {
    const agent = this.#parts.agents.of(this.#session.id, process.pid);
    if (agent === null)
      throw new StrobeError(
        'INSTRUMENTATION_FAILED',
        `Python functions of process ${process.pid} cannot be traced: its native code could not be entered.`,
      );
    this.#sources ??= projectSources(this.#session.projectRoot);
    const { libraryPath, enginePath } = this.#parts;
    return await PythonProcess.enter({
      process,
      agent,
      libraryPath,
      enginePath,
      sources: this.#sources,
      onUnits: () => this.#sink.unitsChanged(),
      onNote: (text) => this.#sink.note(text),
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
