import { randomBytes } from 'node:crypto';
import { nearest } from '../base/nearest.ts';
import { inert } from '../base/visible.ts';
import { StrobeError } from '../model/errors.ts';
import { parseInput } from '../protocol/parseInput.ts';
import { formerNames, tools, type ToolName } from '../protocol/tools/tools.ts';
import { sessionOf } from './clientMemory.ts';
import type { Daemon } from './daemon.ts';
import type { Log } from './log.ts';
import type { ToolAnswer } from './report/answers/answer.ts';
import { withoutSession } from './report/answers/nextSteps.ts';
import type { Client, RequestContext } from './request.ts';

/** What a tool call ends with: an answer, or an error the caller can act on. */
export type CallOutcome =
  | { readonly ok: true; readonly answer: ToolAnswer }
  | { readonly ok: false; readonly error: StrobeError };

/** Runs tool calls by name: parses the request strictly and turns every failure into a StrobeError. */
export class ToolCalls {
  readonly #daemon: Pick<Daemon, 'handlers' | 'defaultSession'>;
  readonly #log: Log;

  constructor(daemon: Pick<Daemon, 'handlers' | 'defaultSession'>, log: Log) {
    this.#daemon = daemon;
    this.#log = log;
  }

  /** Never rejects. */
  async call(name: string, request: unknown, context: RequestContext): Promise<CallOutcome> {
    this.#log.debug('rpc', 'call', { tool: name, client: context.client.id, request });
    try {
      const answer = await this.#dispatch(name, request, context);
      context.client.memory?.learn(answer);
      const text = inert(this.#withoutDefault(answer, context.client));
      return { ok: true, answer: { ...answer, text } };
    } catch (error) {
      const known = this.asStrobeError(error, context.signal);
      this.#log.debug('rpc', 'refused', {
        tool: name,
        client: context.client.id,
        code: known.code,
      });
      return { ok: false, error: known };
    }
  }

  /** A failure as callers see it; what is our own fault is logged under a reference. */
  asStrobeError(error: unknown, signal: AbortSignal): StrobeError {
    if (error instanceof StrobeError) return error;
    if (signal.aborted) return new StrobeError('CANCELLED', 'The request was cancelled.');
    const full = error instanceof Error && 'code' in error && noRoom.has(error.code);
    if (full) return new StrobeError('STORE_FAILED', `${error.message}.`);
    const reference = randomBytes(4).toString('hex');
    this.#log.error('rpc', 'internal error', { reference, error });
    return new StrobeError('INTERNAL', `Strobe failed (reference ${reference}).`);
  }

  /** Calls that are proposed do not name the session that is meant anyway. */
  #withoutDefault({ text, structured }: ToolAnswer, client: Client): string {
    const id = sessionOf(structured);
    const isNamed = id === null || client.memory === undefined || client.memory.isInterleaved;
    if (isNamed || this.#daemon.defaultSession(client) !== id) return text;
    return withoutSession(text, id);
  }

  async #dispatch(name: string, request: unknown, context: RequestContext): Promise<ToolAnswer> {
    for (const tool of tools) {
      if (tool.name === name) return await this.#run(tool.name, request, context);
    }
    throw unknownTool(name);
  }

  async #run(name: ToolName, request: unknown, context: RequestContext): Promise<ToolAnswer> {
    const [launch, session, trace, query, test, breakpoint, moving, inspect, memory, channel, ui] =
      tools;
    switch (name) {
      case 'debug_launch':
        return await this.#daemon.handlers.debug_launch(parseInput(launch, request), context);
      case 'debug_session':
        return await this.#daemon.handlers.debug_session(parseInput(session, request), context);
      case 'debug_trace':
        return await this.#daemon.handlers.debug_trace(parseInput(trace, request), context);
      case 'debug_query':
        return await this.#daemon.handlers.debug_query(parseInput(query, request), context);
      case 'debug_test':
        return await this.#daemon.handlers.debug_test(parseInput(test, request), context);
      case 'debug_breakpoint':
        return await this.#daemon.handlers.debug_breakpoint(
          parseInput(breakpoint, request),
          context,
        );
      case 'debug_continue':
        return await this.#daemon.handlers.debug_continue(parseInput(moving, request), context);
      case 'debug_inspect':
        return await this.#daemon.handlers.debug_inspect(parseInput(inspect, request), context);
      case 'debug_memory':
        return await this.#daemon.handlers.debug_memory(parseInput(memory, request), context);
      case 'debug_channel':
        return await this.#daemon.handlers.debug_channel(parseInput(channel, request), context);
      case 'debug_ui':
        return await this.#daemon.handlers.debug_ui(parseInput(ui, request), context);
    }
  }
}

/** The system's and SQLite's words for a disk that takes no more. */
const noRoom = new Set<unknown>(['ENOSPC', 'EDQUOT', 'EROFS', 'SQLITE_FULL', 'SQLITE_READONLY']);

function unknownTool(name: string): StrobeError {
  const now = formerNames[name];
  if (now !== undefined)
    return new StrobeError('UNKNOWN_TOOL', `${name} is no longer a tool.`, `Use ${now}.`);
  const names = tools.map((tool) => tool.name);
  const [close] = nearest(name, names);
  const said = `"${name}" is not a tool.`;
  return close === undefined
    ? new StrobeError('UNKNOWN_TOOL', said, `Use one of: ${names.join(', ')}.`)
    : new StrobeError('UNKNOWN_TOOL', `${said} Did you mean "${close}"?`, `Use ${close}.`);
}
