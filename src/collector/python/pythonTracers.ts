import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import { hostLeaveMs } from '../frida/hostProcess.ts';
import type {
  Claim,
  ProgramFacts,
  SessionTracer,
  TracedSession,
  TracerCapabilities,
  TracerFactory,
  TracerSink,
} from '../tracer.ts';
import { SourceSession } from '../source/sourceSession.ts';
import { StopSocket } from '../source/stopSocket.ts';
import type { PythonParts } from './pythonParts.ts';
import { pythonKind, sourceFolder } from './pythonProgram.ts';
import { pythonLanguage } from './pythonLanguage.ts';

/** CPython, entered beside its machine code. */
export class PythonTracers implements TracerFactory<SourceFunction> {
  readonly runtime = 'python';
  readonly leaveMs = hostLeaveMs;
  readonly capabilities: TracerCapabilities = {
    returns: true,
    exceptions: 'full',
    suspensions: true,
    late: 'all',
    crashes: false,
  };
  readonly #parts: PythonParts;
  readonly #stops: StopSocket;

  constructor(parts: PythonParts) {
    this.#parts = parts;
    this.#stops = new StopSocket(parts.stopsPath);
  }

  async claim({ image }: ProgramFacts): Promise<Claim | null> {
    const kind = await pythonKind(image);
    if (kind === null) return null;
    if (kind === 'cpython') return { able: true };
    return {
      able: false,
      code: 'INSTRUMENTATION_FAILED',
      reason: 'it is PyPy, of which no tracer knows functions',
      message: `Python functions of ${image} cannot be traced: it is PyPy.`,
      hint: 'Run the program with CPython 3.9 to 3.15.',
    };
  }

  sourceFolder(pid: number): string | null {
    return sourceFolder(pid);
  }

  begin(session: TracedSession, sink: TracerSink): SessionTracer<SourceFunction> {
    return new SourceSession(
      session,
      this.#parts.agents,
      sink,
      pythonLanguage(this.#parts, this.#stops),
    );
  }

  /** The process that is entered has an agent by then. */
  warm(): void {
    return;
  }

  rest(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await this.#stops.close();
  }
}
