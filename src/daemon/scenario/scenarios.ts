import { resolve } from 'node:path';
import { readSmallFile } from '../../base/smallFile.ts';
import { monotonicMs } from '../../base/clock.ts';
import type { ChannelList } from '../../collector/channels/channels.ts';
import { StrobeError } from '../../model/errors.ts';
import type { ScenarioReport, StepResult } from '../../model/scenario/scenarioReport.ts';
import type { DebugChannelInput } from '../../protocol/tools/debugChannel.ts';
import type { ScenarioStep } from '../../protocol/tools/scenario.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import { renderScenario } from '../report/session/scenarioAnswer.ts';
import type { RequestContext } from '../request.ts';
import type { LiveSession } from '../session/liveSession.ts';
import type { Sessions } from '../session/sessions.ts';
import { patternRequest } from '../tracing/patternRequest.ts';
import { whyNeverCalled } from '../tracing/neverCalled.ts';
import type { Displays } from '../ui/displays.ts';
import { evidenceOf } from './evidence.ts';
import { channelsOf, functionsOf, readSteps, type StepCall } from './readSteps.ts';
import { ScenarioRun, type ScenarioMemory, type ScenarioProgram } from './scenarioRun.ts';

/** Of a scenario file. */
const MOST_BYTES = 1 << 20;

type RunInput = Extract<DebugChannelInput, { action: 'run' }>;

export interface ScenarioParts {
  readonly sessions: Sessions;
  readonly channels: ChannelList;
  readonly displays: Displays;
  readonly answerBudget: number;
  readonly call: (call: StepCall, context: RequestContext) => Promise<ToolAnswer>;
}

/** A scenario that was begun in a session. */
interface Begun {
  readonly steps: readonly ScenarioStep[];
  readonly memory: ScenarioMemory;
}

/** Scenarios of sessions: steps that act on channels and look at them. */
export class Scenarios {
  readonly #parts: ScenarioParts;
  readonly #begun = new WeakMap<LiveSession, Begun>();

  constructor(parts: ScenarioParts) {
    this.#parts = parts;
  }

  /** debug_channel run. */
  async run(input: RunInput, context: RequestContext): Promise<ToolAnswer> {
    const { sessions, answerBudget } = this.#parts;
    const session = sessions.resolveLive(input.sessionId, context.client);
    sessions.requireOwner(session, context.client, input.takeOver);
    const endMs = monotonicMs() + input.timeoutMs;
    const begun = await this.#begin(session, input, context);
    const program = this.#program(session, context);
    await makeReady(program, begun.steps, context);
    const run = new ScenarioRun(program, begun.memory, endMs);
    const report = await this.#carryOut(run, program, { ...begun, from: input.from }, context);
    return renderScenario(report, answerBudget);
  }

  async #carryOut(
    run: ScenarioRun,
    program: ScenarioProgram,
    { steps, memory, from }: Begun & { readonly from: number },
    context: RequestContext,
  ): Promise<ScenarioReport> {
    const { session } = program;
    const began = monotonicMs();
    const passed: StepResult[] = [];
    const report = (): Pick<
      ScenarioReport,
      'session' | 'from' | 'total' | 'ms' | 'passed' | 'saved'
    > => ({
      session: session.view(context.client),
      from,
      total: steps.length,
      ms: Math.round(monotonicMs() - began),
      passed,
      saved: Object.fromEntries(memory.saved),
    });
    for (const [at, step] of steps.entries()) {
      const number = at + 1;
      if (number < from) continue;
      context.progress(`step ${number} of ${steps.length}`, number - from, steps.length - from + 1);
      const judged = await run.judge(step, number);
      const { text, ms } = judged;
      if (judged.kind === 'passed') {
        passed.push({ number, text, ms, note: judged.note });
        continue;
      }
      const { seen } = judged;
      const evidence = await evidenceOf(program, { seen, since: memory.since }, channelsOf(steps));
      const failed = { number, text, ms, note: seen[0] ?? '', asked: step, evidence };
      return { ...report(), state: judged.kind, failed };
    }
    return { ...report(), state: 'passed', failed: null };
  }

  /** The steps that are given, or those of the scenario that is continued. */
  async #begin(session: LiveSession, input: RunInput, context: RequestContext): Promise<Begun> {
    const given =
      input.path === undefined ? input.steps : stepsIn(resolve(context.client.cwd, input.path));
    const before = this.#begun.get(session);
    if (given === undefined) {
      if (before === undefined)
        throw new StrobeError(
          'BAD_PARAMETER',
          'steps are missing, and no scenario of this session can be continued.',
          'Give steps, or path of a file that has them.',
        );
      refuseBeyond(input.from, before.steps.length);
      return before;
    }
    const steps = readSteps(given, this.#parts.channels);
    refuseBeyond(input.from, steps.length);
    const isContinued = input.from > 1 && before !== undefined;
    const memory = isContinued ? before.memory : { saved: new Map<string, string>(), since: 0 };
    const begun = { steps, memory };
    this.#begun.set(session, begun);
    return begun;
  }

  #program(session: LiveSession, context: RequestContext): ScenarioProgram {
    const { channels, displays, call } = this.#parts;
    return {
      session,
      channels,
      signal: context.signal,
      call: async (one) => call(one, context),
      tree: async () => displays.ask(session, 'tree', null, context.signal),
    };
  }
}

function refuseBeyond(from: number, total: number): void {
  if (from > total)
    throw new StrobeError('BAD_PARAMETER', `There is no step ${from}: the scenario has ${total}.`);
}

/** The steps of a scenario file. */
function stepsIn(path: string): readonly unknown[] {
  const read = readSmallFile(path, { maxBytes: MOST_BYTES, links: 'follow' });
  if (read.kind !== 'text') {
    const why = read.kind === 'absent' ? 'is not there' : read.why;
    throw new StrobeError('BAD_PARAMETER', `The scenario cannot be read: ${path} ${why}.`);
  }
  const { text } = read;
  const file = jsonOf(text, path);
  const steps = Array.isArray(file) ? file : 'steps' in file ? file.steps : null;
  if (Array.isArray(steps) && steps.length > 0) return steps.map((step: unknown) => step);
  throw new StrobeError(
    'BAD_PARAMETER',
    `${path} has no "steps".`,
    'Write {"launch":{…},"steps":[…]}.',
  );
}

function jsonOf(text: string, path: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StrobeError('BAD_PARAMETER', `${path} is no JSON: ${why}.`);
  }
}

/** Every channel that is used must be there, and recorded, before the first step. */
async function makeReady(
  { session, channels, call, tree }: ScenarioProgram,
  steps: readonly ScenarioStep[],
  { client }: RequestContext,
): Promise<void> {
  for (const name of channelsOf(steps)) {
    if (name === 'ui') {
      await tree();
      continue;
    }
    const channel = channels.called(name);
    const state = channel.state(session.view(client));
    if (state.kind === 'unavailable')
      throw new StrobeError(
        'CHANNEL_UNAVAILABLE',
        `Channel ${name} cannot be used, and no step was carried out: ${state.text}.`,
        ...(state.next === null ? [] : [state.next]),
      );
    const { output } = channel;
    const isOpened = output?.kind === 'calls' || (output?.kind === 'kept' && 'open' in output);
    if (isOpened && state.kind === 'available') {
      const request = { action: 'open', sessionId: session.facts.id, channel: name };
      await call({ tool: 'debug_channel', request });
    }
  }
  await traceNamed(session, functionsOf(steps));
}

/** Functions that checks name are recorded from now on, where no pattern records them yet. */
async function traceNamed(session: LiveSession, names: readonly string[]): Promise<void> {
  const report = session.tracing.report();
  // What a program that comes later has is wanted already.
  const isAsked = (name: string): boolean =>
    report?.patterns.some(({ pattern }) => pattern === name) === true;
  const isNew = (name: string): boolean =>
    !isAsked(name) &&
    ((report?.hookedFunctions ?? 0) === 0 || whyNeverCalled(report, name) !== null);
  const add = [...new Set(names)].filter(isNew);
  if (add.length === 0) return;
  const { patterns } = await session.tracing.change({
    add: add.map((name) => patternRequest(name)),
    remove: [],
    clear: false,
  });
  const missing = patterns.find((one) => add.includes(one.pattern) && one.matched === 0);
  if (missing === undefined) return;
  await session.tracing.change({ add: [], remove: [missing.pattern], clear: false });
  throw new StrobeError(
    'NOTHING_MATCHED',
    `A check names ${missing.pattern}, which is no function of the program; no step was carried out.`,
    missing.nearest.length > 0
      ? `Nearest names: ${missing.nearest.slice(0, 5).join(', ')}.`
      : 'Give a pattern such as "*::name".',
  );
}
