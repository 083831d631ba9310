import { numberAt, textAt } from '../read.ts';
import type { TestHome } from '../home.ts';
import { framesIn, scopesIn, type Seen } from './seen.ts';
import { Wire } from './wire.ts';

type Configuration = Readonly<Record<string, unknown>> & {
  readonly request: 'launch' | 'attach';
};

/**
 * What dape of Emacs sends and in which order, written from reading its sources (github.com/svaante/dape, commit
 * 9df3ea8d, dape.el).
 */
export class Dape {
  readonly wire: Wire;
  #configuration: Configuration = { request: 'launch' };

  constructor(home: TestHome) {
    this.wire = new Wire(home);
  }

  /** What of the configuration is nil comes as false; every kind of breakpoint is sent, also an empty list. */
  async start(
    configuration: Configuration,
    path: string,
    breakpoints: readonly { readonly line: number; readonly condition?: string }[],
  ): Promise<unknown> {
    this.#configuration = { type: 'strobe', ...configuration };
    await this.wire.request('initialize', {
      clientID: 'dape',
      adapterID: 'strobe',
      pathFormat: 'path',
      linesStartAt1: true,
      columnsStartAt1: true,
      supportsRunInTerminalRequest: true,
      supportsArgsCanBeInterpretedByShell: true,
      supportsProgressReporting: true,
      supportsStartDebuggingRequest: true,
    });
    const begun = this.wire.request(configuration.request, this.#configuration);
    const placed = await this.#configure(path, breakpoints);
    await begun;
    return placed;
  }

  async #configure(
    path: string,
    breakpoints: readonly { readonly line: number }[],
  ): Promise<unknown> {
    await this.wire.event('initialized');
    await this.wire.request('setExceptionBreakpoints', { filters: [] });
    const placed = await this.wire.request('setBreakpoints', {
      breakpoints,
      lines: breakpoints.map(({ line }) => line),
      source: { path },
    });
    await this.wire.request('setFunctionBreakpoints', { breakpoints: [] });
    await this.wire.request('setDataBreakpoints', { breakpoints: [] });
    await this.wire.request('configurationDone');
    return placed;
  }

  /** The newest frame first, the others for the window of the stack. */
  async stopped(): Promise<Seen> {
    const stop = await this.wire.event('stopped');
    const threadId = numberAt(stop, 'threadId');
    await this.wire.request('threads');
    const asked = { threadId, startFrame: 0, levels: 1 };
    const first = await this.wire.request('stackTrace', asked);
    const newest = framesIn(first);
    const scopes = await scopesIn(this.wire, newest[0]?.id ?? 0);
    const others =
      numberAt(first, 'totalFrames') > 1
        ? framesIn(await this.wire.request('stackTrace', { threadId, startFrame: 1, levels: 19 }))
        : [];
    return { reason: textAt(stop, 'reason'), threadId, frames: [...newest, ...others], scopes };
  }

  async step(command: 'next' | 'stepIn' | 'stepOut', threadId: number): Promise<void> {
    await this.wire.request(command, { threadId, granularity: 'line' });
  }

  async continue(threadId: number): Promise<void> {
    await this.wire.request('continue', { threadId });
  }

  /** Another frame is chosen in the window of the stack. */
  async select(frameId: number): Promise<Seen['scopes']> {
    return await scopesIn(this.wire, frameId);
  }

  /** A variable of a scope stops the program when it is written. */
  async watch(variablesReference: number, name: string): Promise<unknown> {
    const info = await this.wire.request('dataBreakpointInfo', { variablesReference, name });
    return await this.wire.request('setDataBreakpoints', {
      breakpoints: [{ dataId: textAt(info, 'dataId'), accessType: 'write' }],
    });
  }

  async memory(memoryReference: string): Promise<Buffer> {
    const read = await this.wire.request('readMemory', { memoryReference, count: 1024 });
    return Buffer.from(textAt(read, 'data'), 'base64');
  }

  async disassemble(memoryReference: string): Promise<unknown> {
    return await this.wire.request('disassemble', {
      memoryReference,
      instructionCount: 100,
      offset: 0,
      instructionOffset: -50,
      resolveSymbols: true,
    });
  }

  async restart(): Promise<void> {
    await this.wire.request('restart', { arguments: this.#configuration });
  }

  /** Its process is killed behind the answer. */
  async quit(): Promise<void> {
    await this.wire.request('terminate');
    await this.wire.kill();
  }

  /** Leaves the program alone. */
  async leave(): Promise<void> {
    await this.wire.request('disconnect', { terminateDebuggee: false });
    await this.wire.kill();
  }
}
