import type { DebugProtocol } from '@vscode/debugprotocol';
import { z } from 'zod';
import { StrobeError } from '../../model/errors.ts';
import type { LineStep, StopView } from '../../model/debug/stop.ts';
import type { LiveSession } from '../session/liveSession.ts';
import { dapArguments, type DapArguments } from './arguments.ts';
import { EditorBreakpoints, type AskedBreakpoint } from './editorBreakpoints.ts';
import type { AskedObject } from '../tools/askedBreakpoint.ts';
import { dataAsked, disassembled, readMemory, writeMemory } from './editorMemory.ts';
import { breakpointLines, loadedSources } from './editorSources.ts';
import { EditorValues } from './editorValues.ts';
import { entryBreakpoint } from './entryBreakpoint.ts';
import { whereOfFilter } from './exceptionFilters.ts';
import { JoinedSession } from './joinedSession.ts';
import { capabilities, raisedBody } from './shownFrames.ts';
import { ShownProgress } from './shownProgress.ts';
import type { EditorPart, Waiting } from './editorPart.ts';

const requestMessage = z.looseObject({
  seq: z.int(),
  type: z.literal('request'),
  command: z.string(),
  arguments: z.unknown().optional(),
});

const byInstruction = { over: 'overInstruction', into: 'instruction', out: 'out' } as const;

/** An editor's own way in: nothing runs before its breakpoints are known. */
interface Start {
  readonly how: 'launch' | 'attach' | 'join';
  /** What an editor shows while it takes long. */
  readonly title: string;
  /** Without breakpoints. */
  readonly isPlain?: boolean;
  /** To restart is to begin once more: its program alone is not all of it. */
  readonly beginsAgain?: boolean;
  begin(waiting: Waiting): Promise<string>;
}

/**
 * The Debug Adapter Protocol (1.68) for one editor: a view of the same stops and breakpoints that agents and terminals
 * have. A session of another client can be joined: it
 * keeps its program, and the editor's breakpoints go with the editor.
 */
export class DapServer {
  readonly #part: EditorPart;
  readonly #write: (message: DebugProtocol.ProtocolMessage) => void;
  readonly #breakpoints: EditorBreakpoints;
  readonly #values = new EditorValues(() => this.#session().tracing.stops);
  readonly #progress = new ShownProgress((name, body) => {
    if (this.#shows.progress) this.#event(name, body);
  });
  readonly #gone = new AbortController();
  #seq = 1;
  /** What the editor calls line and column 1. */
  #first = { line: 1, column: 1 };
  /** Events that the editor knows. */
  #shows = { progress: false, invalidated: false };
  #isConfigured: () => void = () => undefined;
  readonly #configured = new Promise<void>((resolve) => (this.#isConfigured = resolve));
  #start: Start | null = null;
  #joined: JoinedSession | null = null;

  constructor(part: EditorPart, write: (message: DebugProtocol.ProtocolMessage) => void) {
    this.#part = part;
    this.#write = write;
    this.#breakpoints = new EditorBreakpoints(part.client.id);
  }

  /** Answers it, now or later; never throws. What is no request is passed over. */
  receive(message: unknown): void {
    const request = requestMessage.safeParse(message);
    if (request.success) void this.#answer(request.data);
  }

  /** The editor has gone: what it set is taken out and what it held runs on; its own program ends, others live on. */
  async close(): Promise<void> {
    this.#gone.abort();
    this.#joined?.close();
    await this.#leave();
  }

  async #answer({ seq, command, arguments: given }: z.output<typeof requestMessage>) {
    const base = { type: 'response', request_seq: seq, command } as const;
    try {
      const { body } = await this.#run(command, given ?? {});
      this.#send({ ...base, success: true, ...(body === undefined ? {} : { body }) });
    } catch (error) {
      const known = error instanceof StrobeError ? error : null;
      const text = [known?.message ?? String(error), known?.hint].filter(Boolean).join(' ');
      // An editor may ask of a stop that was left meanwhile: nothing is wrong.
      const showUser = known?.code !== 'STALE_STOP';
      const body = { error: { id: 1, format: text.replaceAll('{', '{{'), showUser } };
      this.#send({ ...base, success: false, message: text, body });
    }
  }

  async #run(command: string, given: unknown): Promise<Answered> {
    switch (command) {
      case 'initialize':
        return this.#initialize(read(dapArguments.initialize, given));
      case 'launch':
      case 'attach':
        return await this.#begin(command, given);
      case 'configurationDone':
        this.#isConfigured();
        return {};
      case 'setBreakpoints':
        return {
          body: { breakpoints: await this.#ofSource(read(dapArguments.setBreakpoints, given)) },
        };
      case 'breakpointLocations':
        return { body: { breakpoints: await this.#locations(given) } };
      case 'loadedSources':
        return { body: { sources: await this.#loadedSources() } };
      case 'setFunctionBreakpoints':
        return { body: { breakpoints: await this.#ofFunctions(given) } };
      case 'setInstructionBreakpoints':
        return { body: { breakpoints: await this.#ofInstructions(given) } };
      case 'setExceptionBreakpoints':
        return { body: { breakpoints: await this.#ofExceptions(given) } };
      case 'threads':
        return { body: { threads: this.#joined?.threads() ?? [] } };
      case 'setDataBreakpoints':
        return {
          body: {
            breakpoints: await this.#placed(
              'data',
              dataAsked(read(dapArguments.setDataBreakpoints, given)),
            ),
          },
        };
      case 'continue':
        return await this.#continue(read(dapArguments.thread, given).threadId);
      case 'next':
        return await this.#step(given, 'over');
      case 'stepIn':
        return await this.#step(given, 'into');
      case 'stepOut':
        return await this.#step(given, 'out');
      case 'pause':
        return await this.#pause(read(dapArguments.thread, given).threadId);
      case 'restart':
        return await this.#restart();
      case 'terminate':
        await this.#part.stop(this.#session());
        return {};
      case 'disconnect':
        return await this.#disconnect(read(dapArguments.disconnect, given));
      default:
        return await this.#runStanding(command, given);
    }
  }

  /** What is asked of a thread that stands. */
  async #runStanding(command: string, given: unknown): Promise<Answered> {
    switch (command) {
      case 'exceptionInfo':
        return { body: raisedBody(this.#stopOf(read(dapArguments.thread, given).threadId)) };
      case 'stackTrace':
        return { body: await this.#stack(read(dapArguments.stackTrace, given)) };
      case 'scopes':
        return { body: await this.#values.scopes(read(dapArguments.scopes, given)) };
      case 'variables':
        return { body: await this.#values.variables(read(dapArguments.variables, given)) };
      case 'evaluate':
        return { body: await this.#values.evaluate(read(dapArguments.evaluate, given)) };
      case 'setExpression':
        return await this.#sets(
          this.#values.setExpression(read(dapArguments.setExpression, given)),
        );
      case 'setVariable':
        return await this.#sets(this.#values.setVariable(read(dapArguments.setVariable, given)));
      case 'readMemory':
        return {
          body: readMemory(this.#session().tracing.stops, read(dapArguments.readMemory, given)),
        };
      case 'writeMemory': {
        const asked = read(dapArguments.writeMemory, given);
        return await this.#sets(writeMemory(this.#session().tracing.stops, asked));
      }
      case 'disassemble':
        return { body: { instructions: await this.#instructions(given) } };
      case 'dataBreakpointInfo':
        return { body: await this.#values.watchable(read(dapArguments.dataBreakpointInfo, given)) };
      default:
        throw new StrobeError('BAD_PARAMETER', `Strobe does not answer "${command}".`);
    }
  }

  #initialize(asked: DapArguments<'initialize'>): Answered {
    this.#first = { line: asked.linesStartAt1 ? 1 : 0, column: asked.columnsStartAt1 ? 1 : 0 };
    this.#shows = {
      progress: asked.supportsProgressReporting,
      invalidated: asked.supportsInvalidatedEvent,
    };
    return { body: capabilities };
  }

  async #begin(command: 'launch' | 'attach', given: unknown): Promise<Answered> {
    if (this.#start) throw new StrobeError('BAD_PARAMETER', 'This connection has a program.');
    const start = this.#startOf(command, given);
    this.#start = start;
    this.#event('initialized', {});
    await this.#configured;
    try {
      await this.#progress.of(start.title, async (progress) => {
        const id = await start.begin({ signal: this.#gone.signal, progress });
        await this.#join(id, start);
      });
    } catch (error) {
      this.#event('terminated', {});
      throw error;
    }
    return {};
  }

  #startOf(command: 'launch' | 'attach', given: unknown): Start {
    if (command === 'launch') {
      return this.#launchOf(read(dapArguments.launch, given));
    }
    const asked = read(dapArguments.attach, given);
    if (asked.pid !== undefined && asked.session === undefined)
      return {
        how: 'attach',
        title: `Attaching to process ${asked.pid}`,
        begin: async (waiting) => this.#part.attach(asked, waiting),
      };
    const wanted = asked.session === 'latest' ? undefined : asked.session;
    const begin = (): Promise<string> => Promise.resolve(this.#part.find(wanted).facts.id);
    return { how: 'join', title: 'Joining the session', begin };
  }

  #launchOf(asked: DapArguments<'launch'>): Start {
    const { program, test, noDebug: isPlain } = asked;
    const breakpoints = (): readonly AskedObject[] =>
      isPlain ? [] : [...(asked.stopOnEntry ? [entryBreakpoint] : []), ...this.#breakpoints.asked];
    if (program !== undefined) {
      const begin = async (waiting: Waiting): Promise<string> =>
        this.#part.launch({ ...asked, program }, breakpoints(), waiting);
      return { how: 'launch', title: `Starting ${program}`, isPlain, begin };
    }
    if (test === undefined)
      throw new StrobeError('BAD_PARAMETER', 'What is to be launched? Give program, or test.');
    const begin = async (waiting: Waiting): Promise<string> => {
      const started = await this.#part.startTests({ ...asked, test }, breakpoints(), waiting);
      this.#event('testRun', { testRunId: started.testRunId });
      return started.sessionId;
    };
    return { how: 'launch', title: 'Starting tests', isPlain, beginsAgain: true, begin };
  }

  async #join(id: string, { how, isPlain = false }: Pick<Start, 'how' | 'isPlain'>): Promise<void> {
    const session = this.#part.find(id);
    const joined = new JoinedSession(session, this.#part.queries, {
      event: (name, body) => this.#event(name, body),
      numbersOf: (probes) => this.#breakpoints.numbersOf(probes),
      left: (stop) => this.#values.drop(stop),
      looked: () => this.#reportChanged(),
    });
    this.#joined = joined;
    const [name = ''] = session.view(this.#part.client).command;
    this.#event('process', {
      name,
      ...(session.pid === null ? {} : { systemProcessId: session.pid }),
      isLocalProcess: true,
      startMethod: how === 'launch' ? 'launch' : 'attach',
    });
    if (!isPlain) await this.#breakpoints.begin(session);
    joined.begin();
  }

  async #placed(list: string, asked: readonly AskedBreakpoint[]) {
    return await this.#progress.of('Placing breakpoints', async () =>
      this.#breakpoints.set(list, asked),
    );
  }

  /** Reports those that were placed, moved or lost since the last report. */
  #reportChanged(): void {
    for (const breakpoint of this.#breakpoints.changed())
      this.#event('breakpoint', {
        reason: 'changed',
        breakpoint: this.#withEditorLine(breakpoint),
      });
  }

  async #ofSource({ source, breakpoints }: DapArguments<'setBreakpoints'>) {
    const { path } = source;
    if (path === undefined)
      throw new StrobeError('BAD_PARAMETER', 'A breakpoint needs the path of a file.');
    const asked = breakpoints.map(({ line, condition, hitCondition, logMessage }) => ({
      where: { file: path, line: line + 1 - this.#first.line },
      condition,
      hitCondition,
      logMessage,
    }));
    const placed = await this.#placed(`source ${path}`, asked);
    return placed.map((one) => ({ source: { path }, ...this.#withEditorLine(one) }));
  }

  async #ofFunctions(given: unknown): Promise<DebugProtocol.Breakpoint[]> {
    const { breakpoints } = read(dapArguments.setFunctionBreakpoints, given);
    const asked = breakpoints.map(({ name, condition, hitCondition }) => ({
      where: { function: name },
      condition,
      hitCondition,
    }));
    const placed = await this.#placed('functions', asked);
    return placed.map((one) => this.#withEditorLine(one));
  }

  async #ofInstructions(given: unknown): Promise<DebugProtocol.Breakpoint[]> {
    const { breakpoints } = read(dapArguments.setInstructionBreakpoints, given);
    const asked = breakpoints.map(({ instructionReference, offset, condition, hitCondition }) => ({
      where: { address: `0x${(BigInt(instructionReference) + BigInt(offset)).toString(16)}` },
      condition,
      hitCondition,
    }));
    const placed = await this.#placed('instructions', asked);
    return placed.map((one) => this.#withEditorLine(one));
  }

  async #ofExceptions(given: unknown): Promise<DebugProtocol.Breakpoint[]> {
    const { filters, filterOptions } = read(dapArguments.setExceptionBreakpoints, given);
    const asked = [
      ...filters.map((name) => ({ where: whereOfFilter(name) })),
      ...filterOptions.map(({ filterId: name, condition }) => ({
        where: { ...whereOfFilter(name), ...(condition ? { type: condition } : {}) },
      })),
    ];
    return await this.#placed('exceptions', asked);
  }

  async #locations(given: unknown): Promise<DebugProtocol.BreakpointLocation[]> {
    const asked = read(dapArguments.breakpointLocations, given);
    const lines = await this.#readingSymbols(async () =>
      breakpointLines(this.#session().tracing, asked, this.#first.line),
    );
    return lines.map((line) => ({ line: line - 1 + this.#first.line }));
  }

  async #loadedSources(): Promise<DebugProtocol.Source[]> {
    return await this.#readingSymbols(async () => loadedSources(this.#session().tracing));
  }

  async #readingSymbols<Done>(work: () => Promise<Done>): Promise<Done> {
    return await this.#progress.of('Reading symbols', work);
  }

  async #stack(asked: DapArguments<'stackTrace'>) {
    const task = this.#joined?.tasks.idOf(asked.threadId) ?? null;
    if (task !== null && this.#joined) {
      const { stop, stack } = await this.#joined.tasks.stack(task);
      return this.#values.stack(stop, stack.frames, asked, this.#first);
    }
    const stop = this.#stopOf(asked.threadId);
    const { frames } = await this.#session().tracing.stops.tasks.whole(stop);
    return this.#values.stack(stop, frames, asked, this.#first);
  }

  /** Values that the editor shows may be others now. */
  async #sets(work: Promise<object>): Promise<Answered> {
    const body = await work;
    if (this.#shows.invalidated) this.#event('invalidated', { areas: ['variables'] });
    return { body };
  }

  async #instructions(given: unknown) {
    const { stops } = this.#session().tracing;
    const stop = stops.meant(undefined);
    return await disassembled(stops, stop, read(dapArguments.disassemble, given));
  }

  async #continue(threadId: number): Promise<Answered> {
    const stop = this.#stopOf(threadId);
    this.#joined?.moves(stop);
    await this.#session().tracing.stops.go(stop.id, undefined, 'an editor');
    return { body: { allThreadsContinued: stop.holds !== 'thread' } };
  }

  async #step(given: unknown, kind: LineStep): Promise<Answered> {
    const { threadId, granularity } = read(dapArguments.step, given);
    const stop = this.#stopOf(threadId);
    const meant = granularity === 'instruction' ? byInstruction[kind] : kind;
    this.#joined?.moves(stop);
    await this.#session().tracing.stops.step(stop.id, undefined, meant, this.#part.client.id);
    return {};
  }

  async #pause(threadId: number): Promise<Answered> {
    const all = threadId === 0;
    const isTask = (this.#joined?.tasks.idOf(threadId) ?? null) !== null;
    const tid = isTask ? this.#stopOf(threadId).thread.tid : threadId;
    await this.#session().tracing.stops.pause(all ? undefined : tid, this.#part.client.id);
    return {};
  }

  async #restart(): Promise<Answered> {
    const session = this.#session();
    const start = this.#start ?? ({ how: 'launch' } as const);
    this.#joined?.close();
    // Its own breakpoints come along.
    if (start.how === 'launch') this.#breakpoints.forget();
    else await this.#breakpoints.leave();
    try {
      await this.#progress.of('Restarting', async (progress) => {
        const waiting = { signal: this.#gone.signal, progress };
        await this.#join(await this.#again(session, start, waiting), start);
      });
    } catch (error) {
      if (session.isLive) await this.#join(session.facts.id, start);
      else this.#event('terminated', {});
      throw error;
    }
    return {};
  }

  async #again(session: LiveSession, start: Partial<Start>, waiting: Waiting): Promise<string> {
    if (start.beginsAgain !== true || !start.begin) return this.#part.restart(session, waiting);
    await this.#part.stop(session);
    return start.begin(waiting);
  }

  /** Its own program ends with it, unless the editor says otherwise; one that it joined or attached to lives on. */
  async #disconnect({ terminateDebuggee }: DapArguments<'disconnect'>): Promise<Answered> {
    const ends = terminateDebuggee ?? this.#start?.how === 'launch';
    const session = this.#joined?.session;
    await this.#leave();
    if (ends && session?.isLive === true) await this.#part.stop(session);
    return {};
  }

  async #leave(): Promise<void> {
    const session = this.#joined?.session;
    if (session?.isLive !== true) return;
    await this.#breakpoints.leave().catch(() => undefined);
    await session.tracing.stops.clientGone(this.#part.client.id).catch(() => undefined);
  }

  #session(): LiveSession {
    const session = this.#joined?.session;
    if (!session) throw new StrobeError('NO_SESSION', 'There is no program yet.');
    return session;
  }

  /** Throws NOT_STOPPED. */
  #stopOf(threadId: number): StopView {
    const task = this.#joined?.tasks.idOf(threadId) ?? null;
    if (task !== null && this.#joined) return this.#joined.tasks.moved(task);
    const stop = this.#joined?.stopOf(threadId);
    if (stop) return stop;
    throw new StrobeError('NOT_STOPPED', `Thread ${threadId} runs.`, 'Pause it first.');
  }

  #withEditorLine(breakpoint: DebugProtocol.Breakpoint): DebugProtocol.Breakpoint {
    const { line } = breakpoint;
    return line === undefined ? breakpoint : { ...breakpoint, line: line - 1 + this.#first.line };
  }

  #event(event: string, body: object): void {
    if (!this.#gone.signal.aborted) this.#send({ type: 'event', event, body });
  }

  #send(message: object): void {
    this.#write({ seq: this.#seq++, type: 'event', ...message });
  }
}

interface Answered {
  readonly body?: object;
}

function read<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new StrobeError(
    'BAD_PARAMETER',
    `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is wrong'}`,
  );
}
