import { monotonicNs } from '../../base/clock.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import type { Expression } from '../../model/watches/expression.ts';
import type { UncaughtNote, WireExpression } from '../../protocol/nodeTracer.ts';
import { projectSources } from '../program/projectSources.ts';
import type { LaunchSpec } from '../supervisor/launchSpec.ts';
import type {
  SessionTracer,
  TraceableProcess,
  TracedSession,
  Tracer,
  TracerSink,
} from '../tracer.ts';
import { SampledWatches } from '../program/sampledWatches.ts';
import { compileNodeWatch, whyNodeUndecided } from './nodeCondition.ts';
import type { NodeParts } from './nodeParts.ts';
import { NodeProcess } from './nodeProcess.ts';
import type { RewriteSocket } from './rewriteSocket.ts';
import { uncaughtException } from './uncaughtException.ts';

const sources = /(?<!\.d)\.[cm]?[jt]sx?$/;

/** The Node processes of one session. */
export class NodeSession implements SessionTracer<SourceFunction> {
  readonly #session: TracedSession;
  readonly #parts: NodeParts;
  readonly #service: RewriteSocket;
  readonly #sink: TracerSink;
  #sources: readonly string[] | null = null;
  readonly #entered = new Set<NodeProcess>();
  #uncaught = 0;
  #telling: Promise<void> = Promise.resolve();

  readonly watches: SampledWatches<WireExpression>;

  constructor(session: TracedSession, parts: NodeParts, service: RewriteSocket, sink: TracerSink) {
    this.#session = session;
    this.#parts = parts;
    this.#service = service;
    this.#sink = sink;
    this.watches = new SampledWatches(session, sink, {
      name: 'JavaScript',
      type: 'javascript',
      constants: ['undefined', 'NaN', 'Infinity', 'this'],
      compile: compileNodeWatch,
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
    return whyNodeUndecided(when, fn, atReturn);
  }

  async enter(process: TraceableProcess): Promise<Tracer<SourceFunction>> {
    const { id, projectRoot } = this.#session;
    const agent = this.#parts.agents.of(id, process.pid);
    if (agent === null)
      throw new StrobeError(
        'INSTRUMENTATION_FAILED',
        `JavaScript functions of process ${process.pid} cannot be traced: its native code could not be entered.`,
      );
    this.#sources ??= projectSources(projectRoot, (name) => sources.test(name));
    const entered = await NodeProcess.enter({
      process,
      agent,
      parts: this.#parts,
      servicePath: await this.#service.open(),
      projectRoot,
      sources: this.#sources,
      onUnits: () => this.#sink.unitsChanged(),
      onUncaught: (uncaught) => this.#tell(process.pid, uncaught),
      onNote: (text) => this.#sink.note(text),
      onClosed: () => void this.#entered.delete(entered),
    });
    this.#entered.add(entered);
    return entered;
  }

  /** An exception that nothing caught ends the program: it is stored before that is known. */
  #tell(pid: number, uncaught: UncaughtNote): void {
    const { projectRoot, startNs } = this.#session;
    const key = `node ${pid} ${this.#uncaught++}`;
    const time = Number(monotonicNs() - startNs);
    const exception = uncaughtException(uncaught, { key, time, pid, projectRoot });
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
