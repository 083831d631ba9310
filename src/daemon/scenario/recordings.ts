import { StrobeError } from '../../model/errors.ts';
import type { UiTree } from '../../model/ui/element.ts';
import type { DebugChannelInput } from '../../protocol/tools/debugChannel.ts';
import type { DebugUiInput } from '../../protocol/tools/debugUi.ts';
import { writePlaces } from '../export/writePlaces.ts';
import { WrittenFile } from '../export/writtenFile.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import { renderRecording } from '../report/session/scenarioAnswer.ts';
import type { RequestContext, ToolHandler } from '../request.ts';
import type { LiveSession } from '../session/liveSession.ts';
import type { Sessions } from '../session/sessions.ts';
import type { Displays } from '../ui/displays.ts';
import { recordedAct, type RecordedStep } from './recordedStep.ts';

type RecordInput = Extract<DebugChannelInput, { action: 'record' }>;

const MOST_STEPS = 500;
/** Of a file that a recording wrote. */
const SCENARIO_BEGINS = /^\{\n {2}"launch": \{/;

/** What clients do in sessions, kept as steps of scenarios while they ask for it. */
export class Recordings {
  readonly #sessions: Sessions;
  readonly #displays: Displays;
  readonly #home: string;
  readonly #steps = new WeakMap<LiveSession, RecordedStep[]>();

  constructor(sessions: Sessions, displays: Displays, home: string) {
    this.#home = home;
    this.#sessions = sessions;
    this.#displays = displays;
  }

  /** debug_channel record: begins, or with a path writes the file and ends. */
  async record(input: RecordInput, { client }: RequestContext): Promise<ToolAnswer> {
    const session = this.#sessions.resolveLive(input.sessionId, client);
    this.#sessions.requireOwner(session, client, input.takeOver);
    const view = session.view(client);
    const steps = this.#steps.get(session);
    if (input.path === undefined) {
      this.#steps.set(session, []);
      return renderRecording({ view, path: null, steps: [] });
    }
    if (steps === undefined || steps.length === 0)
      throw new StrobeError(
        'BAD_PARAMETER',
        steps === undefined ? 'Nothing is recorded in this session.' : 'Nothing was done yet.',
        'debug_channel {"action":"record"} begins; then use debug_ui, or debug_channel send.',
      );
    const places = writePlaces(this.#home, session.facts.projectRoot, client);
    const file = WrittenFile.at(input.path, places, SCENARIO_BEGINS);
    const scenario = { launch: launchOf(session, view.hooks.patterns, steps), steps };
    await file.fill(`${JSON.stringify(scenario, null, 2)}\n`, 'scenario');
    this.#steps.delete(session);
    return renderRecording({ view, path: file.path, steps });
  }

  /** The handler, whose successful actions are recorded. */
  ofWindows(answer: ToolHandler<DebugUiInput>): ToolHandler<DebugUiInput> {
    return async (input, context) => {
      const steps = this.#stepsOf(input, context);
      if (steps === null || input.action === 'tree' || input.action === 'screenshot')
        return await answer(input, context);
      const session = this.#sessions.resolveLive(input.sessionId, context.client);
      const before = await this.#tree(session, context);
      const given = await answer(input, context);
      const after = await this.#tree(session, context);
      const { sessionId: _id, takeOver: _over, ...order } = input;
      keep(steps, recordedAct(order, before, after));
      return given;
    };
  }

  /** The handler, whose messages are recorded. */
  ofChannels(answer: ToolHandler<DebugChannelInput>): ToolHandler<DebugChannelInput> {
    return async (input, context) => {
      const given = await answer(input, context);
      const steps = input.action === 'send' ? this.#stepsOf(input, context) : null;
      if (steps === null || input.action !== 'send') return given;
      const { action, channel, sessionId: _id, takeOver: _over, eof, ...message } = input;
      keep(steps, { do: action, on: channel, ...message, ...(eof ? { eof } : {}) });
      return given;
    };
  }

  #stepsOf(
    input: { readonly sessionId?: string },
    { client }: RequestContext,
  ): RecordedStep[] | null {
    try {
      return this.#steps.get(this.#sessions.resolveLive(input.sessionId, client)) ?? null;
    } catch {
      return null; // The handler says what is wrong with it.
    }
  }

  async #tree(session: LiveSession, { signal }: RequestContext): Promise<UiTree> {
    return await this.#displays.ask(session, 'tree', null, signal);
  }
}

function keep(steps: RecordedStep[], step: RecordedStep): void {
  if (steps.length >= MOST_STEPS)
    throw new StrobeError('BAD_PARAMETER', `A recording has at most ${MOST_STEPS} steps.`);
  steps.push(step);
}

/** How the program is launched again. */
function launchOf(
  { facts }: LiveSession,
  patterns: readonly string[],
  steps: readonly RecordedStep[],
): object {
  const [command, ...args] = facts.command;
  const hasWindows = steps.some((step) => step['on'] === undefined);
  return {
    command,
    ...(args.length > 0 ? { args } : {}),
    cwd: facts.cwd,
    projectRoot: facts.projectRoot,
    ...(hasWindows ? { ui: true } : {}),
    ...(facts.stdin === 'open' ? { stdin: 'open' } : {}),
    ...(facts.stdin === 'terminal' ? { tty: true } : {}),
    ...(patterns.length > 0 ? { patterns } : {}),
  };
}
