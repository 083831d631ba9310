import type { FoundFunction } from '../../model/functions/foundFunction.ts';
import { hostLeaveMs } from '../frida/hostProcess.ts';
import { obstacleTo } from '../program/entryConditions.ts';
import { processRoom, programFile, runningFile } from '../program/entryFacts.ts';
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

const isCaptured = 'Output, exit status and what it executes are captured all the same.';
const launchIt =
  'Launch it with debug_launch to have its output, exit status and what it executes captured.';

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
  };
  readonly #parts: NativeParts;

  constructor(parts: NativeParts) {
    this.#parts = parts;
  }

  /** Every program is machine code. */
  async claim({ image, loader, process }: ProgramFacts): Promise<Claim> {
    const runs = process !== null;
    const obstacle = obstacleTo({
      program: await (runs ? runningFile(process.pid) : programFile(image, loader)),
      process: process && processRoom(process),
    });
    if (obstacle === null) return { able: true };
    const { code, reason, hint } = obstacle;
    const subject = runs ? `Process ${process.pid}` : image;
    const message = `${subject} cannot be traced: ${reason}.`;
    return {
      able: false,
      code,
      reason,
      message,
      hint: `${hint} ${runs && !process.atExec ? launchIt : isCaptured}`,
    };
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
