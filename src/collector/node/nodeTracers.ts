import { basename } from 'node:path';
import { engineNote } from '../../model/session.ts';
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
import type { NodeParts } from './nodeParts.ts';
import { whyUntracedDeno } from './denoProgram.ts';
import { whyOldNode } from './nodeFile.ts';
import { nodeFileOf, programOf, sourceFolder, type JavaScriptProgram } from './nodeProgram.ts';
import { nodeLanguage } from './nodeLanguage.ts';
import { OwnLinks } from './ownLinks.ts';
import { whyUntracedNode } from './permissionModel.ts';
import { NodeStops } from './nodeStops.ts';
import { RewriteSocket } from './rewriteSocket.ts';

const AS_EVER = 'Output, exit status and calls of native code are captured all the same.';
const elsewhere =
  'Where the program also runs on Node 20 to 26 or Deno, trace it there (node FILE, npx tsx FILE, deno run -A FILE).';
const names = { node: 'Node', deno: 'Deno', bun: 'Bun', electron: 'Electron' } as const;

/** Programs of JavaScript whose functions no tracer knows. */
const others = {
  bun: {
    why: 'whose stack traces and function texts would show the code of the tracing',
    hint: elsewhere,
  },
  electron: { why: 'with which tracing was never tried', hint: elsewhere },
} as const;

/** Node, entered beside its machine code: modules are rewritten as they are loaded. */
export class NodeTracers implements TracerFactory<SourceFunction> {
  readonly runtime = 'node';
  readonly ownsImage = true;
  readonly leaveMs = hostLeaveMs;
  readonly capabilities: TracerCapabilities = {
    returns: true,
    exceptions: 'unwound',
    suspensions: true,
    late: 'entries',
    crashes: false,
  };
  readonly #parts: NodeParts;
  readonly #service: RewriteSocket;
  readonly #links: OwnLinks;
  readonly #stops = new NodeStops();

  constructor(parts: NodeParts) {
    this.#parts = parts;
    this.#links = new OwnLinks(parts.linkPath);
    this.#service = new RewriteSocket(parts.socketPath, async (request) =>
      'standing' in request ? await this.#stops.order(request) : await parts.rewrite(request),
    );
  }

  async claim({ image, process }: ProgramFacts): Promise<Claim | null> {
    const program = await programOf(image);
    if (program === null) return null;
    const untraced = await whyUntraced(program, image, process);
    if (untraced === null)
      return program === 'node' ? { able: true } : { able: true, engine: names[program] };
    const { why, hint } = untraced;
    const reason = `it is ${names[program]}, ${why}`;
    return {
      able: false,
      code: 'INSTRUMENTATION_FAILED',
      reason,
      engine: names[program],
      message: `${engineNote}${basename(image)} cannot be traced: ${reason}.`,
      hint: `${hint} ${AS_EVER}`,
    };
  }

  sourceFolder(pid: number): string | null {
    return sourceFolder(pid);
  }

  begin(session: TracedSession, sink: TracerSink): SessionTracer<SourceFunction> {
    const language = nodeLanguage(this.#parts, this.#service, this.#links, this.#stops);
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
    await Promise.all([this.#service.close(), this.#links.close()]);
  }
}

/** Why functions of a program cannot be traced, as a clause, and what to do; null: nothing speaks against it. */
async function whyUntraced(
  program: JavaScriptProgram,
  image: string,
  process: ProgramFacts['process'],
): Promise<{ readonly why: string; readonly hint: string } | null> {
  if (program === 'deno') return whyUntracedDeno(process);
  if (program !== 'node') return others[program];
  const file = await nodeFileOf(image);
  return (file && whyOldNode(file)) ?? whyUntracedNode(process);
}
