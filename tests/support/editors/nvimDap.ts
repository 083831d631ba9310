import { basename } from 'node:path';
import { numberAt, textAt } from '../read.ts';
import type { TestHome } from '../home.ts';
import { framesIn, scopesIn, type Seen } from './seen.ts';
import { Wire } from './wire.ts';

/**
 * What nvim-dap sends and in which order, written from reading its sources (github.com/mfussenegger/nvim-dap, commit
 * 9e848e09, lua/dap/session.lua and lua/dap/entity.lua).
 */
export class NvimDap {
  readonly wire: Wire;

  constructor(home: TestHome) {
    this.wire = new Wire(home);
  }

  /** The whole configuration is sent as arguments; breakpoints are sent while `launch` or `attach` waits. */
  async start(
    configuration: { readonly request: 'launch' | 'attach' } & Readonly<Record<string, unknown>>,
    path: string,
    breakpoints: readonly { readonly line: number; readonly condition?: string }[],
  ): Promise<unknown> {
    await this.wire.request('initialize', {
      clientID: 'neovim',
      clientName: 'neovim',
      adapterID: 'nvim-dap',
      pathFormat: 'path',
      columnsStartAt1: true,
      linesStartAt1: true,
      supportsRunInTerminalRequest: true,
      supportsVariableType: true,
      supportsProgressReporting: true,
      supportsStartDebuggingRequest: true,
      locale: 'en_US.UTF-8',
    });
    const begun = this.wire.request(configuration.request, {
      type: 'strobe',
      name: 'A program',
      ...configuration,
    });
    await this.wire.event('initialized');
    const placed = await this.wire.request('setBreakpoints', {
      source: { path, name: basename(path) },
      sourceModified: false,
      breakpoints,
      lines: breakpoints.map(({ line }) => line),
    });
    await this.wire.request('setExceptionBreakpoints', { filters: [] });
    await this.wire.request('configurationDone');
    await begun;
    return placed;
  }

  /** All frames at once, then the newest one's scopes. */
  async stopped(): Promise<Seen> {
    const stop = await this.wire.event('stopped');
    const threadId = numberAt(stop, 'threadId');
    await this.wire.request('threads');
    const frames = framesIn(await this.wire.request('stackTrace', { startFrame: 0, threadId }));
    const scopes = await scopesIn(this.wire, frames[0]?.id ?? 0);
    return { reason: textAt(stop, 'reason'), threadId, frames, scopes };
  }

  /** `continue` is a step, too. */
  async step(command: 'next' | 'stepIn' | 'stepOut' | 'continue', threadId: number): Promise<void> {
    await this.wire.request(command, { threadId, granularity: 'statement' });
  }

  /** Scopes are read once more after it. */
  async setVariable(
    { frames, scopes }: Seen,
    scope: string,
    name: string,
    value: string,
  ): Promise<Seen['scopes']> {
    const parent = scopes.find((one) => one.name === scope);
    await this.wire.request('setVariable', {
      variablesReference: parent?.reference,
      name,
      value,
    });
    return await scopesIn(this.wire, frames[0]?.id ?? 0);
  }

  /** What is typed into its console. */
  async evaluate(expression: string, frameId: number): Promise<string> {
    const asked = { expression, context: 'repl', frameId };
    return textAt(await this.wire.request('evaluate', asked), 'result');
  }

  async terminate(): Promise<void> {
    await this.wire.request('terminate', {});
    await this.wire.kill();
  }

  async disconnect(): Promise<void> {
    await this.wire.request('disconnect', { restart: false });
    await this.wire.kill();
  }
}
