import { monotonicNs } from '../../base/clock.ts';
import { noNames } from '../../model/decoding/dynamic.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import type { Expression } from '../../model/watches/expression.ts';
import { ringNames } from '../rings/ringNames.ts';
import type { LaunchSpec } from '../supervisor/launchSpec.ts';
import type {
  SessionTracer,
  TraceableProcess,
  TracedSession,
  Tracer,
  TracerSink,
} from '../tracer.ts';
import { projectSources } from '../program/projectSources.ts';
import { SampledWatches } from '../program/sampledWatches.ts';
import { compilePythonWatch, whyPythonUndecided } from './pythonCondition.ts';
import type { PythonParts } from './pythonParts.ts';
import { PythonProcess } from './pythonProcess.ts';
import { uncaughtException } from './uncaughtNote.ts';

/** The Python interpreters of one session. */
export class PythonSession implements SessionTracer<SourceFunction> {
  readonly #session: TracedSession;
  readonly #parts: PythonParts;
  readonly #sink: TracerSink;
  #sources: readonly string[] | null = null;
  readonly #entered = new Set<PythonProcess>();
  readonly watches: SampledWatches<Buffer>;
  #uncaught = 0;
  #telling: Promise<void> = Promise.resolve();

  constructor(session: TracedSession, parts: PythonParts, sink: TracerSink) {
    this.#session = session;
    this.#parts = parts;
    this.#sink = sink;
    this.watches = new SampledWatches(session, sink, {
      name: 'Python',
      type: 'python',
      constants: ['None', 'True', 'False'],
      compile: compilePythonWatch,
      any: () => this.#entered.size > 0,
      sample: async (plan, only) => {
        const all = [...this.#entered].filter(({ pid }) => only === undefined || pid === only);
        await Promise.all(all.map((process) => process.setWatches(plan)));
      },
    });
  }

  prepare(spec: LaunchSpec): LaunchSpec {
    return spec;
  }

  /** Functions are numbered in the processes. */
  continueFrom(): void {
    return;
  }

  whyUndecided(when: Expression, fn: SourceFunction, atReturn: boolean): string | null {
    return whyPythonUndecided(when, fn, atReturn);
  }

  async enter(process: TraceableProcess): Promise<Tracer<SourceFunction>> {
    const agent = this.#parts.agents.of(this.#session.id, process.pid);
    if (agent === null)
      throw new StrobeError(
        'INSTRUMENTATION_FAILED',
        `Python functions of process ${process.pid} cannot be traced: its native code could not be entered.`,
      );
    this.#sources ??= projectSources(this.#session.projectRoot, (name) => name.endsWith('.py'));
    const { libraryPath, enginePath } = this.#parts;
    const entered = await PythonProcess.enter({
      process,
      agent,
      libraryPath,
      enginePath,
      sources: this.#sources,
      onUnits: () => this.#sink.unitsChanged(),
      onUncaught: (text) => this.#tell(process.pid, agent.ringPath, text),
      onCrashed: (text) => this.#tell(process.pid, agent.ringPath, text, true),
      onNote: (text) => this.#sink.note(text),
      onClosed: () => void this.#entered.delete(entered),
    });
    this.#entered.add(entered);
    return entered;
  }

  /** An exception that nothing caught ends the program: it is stored before that is known. */
  #tell(pid: number, ringPath: string, text: string, isCrash = false): void {
    const { projectRoot, startNs, limits } = this.#session;
    const exception = {
      ...uncaughtException(text, {
        projectRoot,
        secretNames: limits.secretNames,
        // A child that was forked has numbers of its own.
        names: (teller) => (teller === pid ? ringNames(ringPath) : noNames),
      }),
      ...(isCrash ? { end: { kind: 'uncaught', what: 'signal' } as const } : {}),
      key: `python ${pid} ${this.#uncaught++}`,
      time: Number(monotonicNs() - startNs),
    };
    this.#telling = this.#telling
      .then(() => this.#sink.exception(exception))
      .catch(() => undefined); // The session is gone.
  }

  async settle(): Promise<boolean> {
    for (const entered of this.#entered) entered.read();
    await this.#telling;
    return true;
  }

  async finish(): Promise<void> {
    await this.settle();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
