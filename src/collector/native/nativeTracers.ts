import type { FoundFunction } from '../../model/functions/foundFunction.ts';
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
import type { NativeParts } from './nativeParts.ts';
import { NativeSession } from './nativeSession.ts';

/** Machine code, entered by Frida and hooked by the engine. */
export class NativeTracers implements TracerFactory<FoundFunction> {
  readonly runtime = 'native';
  readonly leaveMs = hostLeaveMs;
  readonly capabilities: TracerCapabilities = {
    returns: true,
    exceptions: 'full',
    suspensions: false,
    late: 'all',
    crashes: true,
    notes: [],
  };
  readonly #parts: NativeParts;

  constructor(parts: NativeParts) {
    this.#parts = parts;
  }

  /** Every program is machine code; what has no dynamic loader cannot be entered. */
  claim({ image, loader, pid }: ProgramFacts): Promise<Claim> {
    if (loader !== null) return Promise.resolve({ able: true });
    const refused = {
      able: false,
      code: 'STATIC_PROGRAM',
      reason: 'it is statically linked',
    } as const;
    if (pid !== null)
      return Promise.resolve({
        ...refused,
        message: `Process ${pid} runs a statically linked program: nothing can be brought into it.`,
        hint: 'Launch it with debug_launch: output, status and children are captured. To trace it, link it dynamically; functions of Go are not traced either way (dlv attaches to those).',
      });
    return Promise.resolve({
      ...refused,
      message: `${image} is statically linked: there is no dynamic loader to bring the tracing engine in.`,
      hint: 'Link it dynamically for debugging (drop -static); functions of Go are not traced either way, there its own debugger helps (dlv). Output, exit status and what it executes are captured all the same.',
    });
  }

  begin(session: TracedSession, sink: TracerSink): SessionTracer<FoundFunction> {
    return new NativeSession(session, this.#parts, sink);
  }

  warm(): void {
    this.#parts.hosts.warm();
  }

  async rest(): Promise<void> {
    await this.#parts.hosts.rest();
  }

  async close(): Promise<void> {
    await this.#parts.hosts.close();
  }
}
