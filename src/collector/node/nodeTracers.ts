import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import { readOf } from '../../base/proc.ts';
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
import type { NodeParts } from './nodeParts.ts';
import { isNode, sourceFolder } from './nodeProgram.ts';
import { nodeLanguage } from './nodeLanguage.ts';
import { RewriteSocket } from './rewriteSocket.ts';

/** Node, entered beside its machine code: modules are rewritten as they are loaded. */
export class NodeTracers implements TracerFactory<SourceFunction> {
  readonly runtime = 'node';
  readonly ownsImage = true;
  readonly leaveMs = hostLeaveMs;
  readonly capabilities: TracerCapabilities = {
    returns: true,
    exceptions: 'unwound',
    suspensions: true,
    late: 'none',
    crashes: false,
    notes: [
      'JavaScript functions are traced in programs that Strobe launched; another Node process that runs already cannot be entered for them.',
      'Files of packages (node_modules) are left as they are, and so is a program whose coverage is measured or that runs with --enable-source-maps.',
    ],
  };
  readonly #parts: NodeParts;
  readonly #service: RewriteSocket;

  constructor(parts: NodeParts) {
    this.#parts = parts;
    this.#service = new RewriteSocket(parts.socketPath, parts.rewrite);
  }

  async claim({ image, process }: ProgramFacts): Promise<Claim | null> {
    if (!(await isNode(image))) return null;
    if (process === null || process.atExec) return { able: true };
    // It was entered when it was launched.
    const loaded = readOf(process.pid, 'maps') ?? '';
    if (loaded.split('\n').some((line) => line.endsWith(` ${this.#parts.libraryPath}`)))
      return { able: true };
    return {
      able: false,
      code: 'INSTRUMENTATION_FAILED',
      reason: 'its modules are loaded already',
      message: `JavaScript functions of process ${process.pid} cannot be traced: its modules are loaded already.`,
      hint: 'Launch it with debug_launch: modules are rewritten as they are loaded.',
    };
  }

  sourceFolder(pid: number): string | null {
    return sourceFolder(pid);
  }

  begin(session: TracedSession, sink: TracerSink): SessionTracer<SourceFunction> {
    const language = nodeLanguage(this.#parts, this.#service);
    return new SourceSession(session, this.#parts.agents, sink, language);
  }

  /** The process that is entered has an agent by then. */
  warm(): void {
    return;
  }

  rest(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await this.#service.close();
  }
}
