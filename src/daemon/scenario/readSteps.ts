import { nearest } from '../../base/nearest.ts';
import type { ChannelList } from '../../collector/channels/channels.ts';
import { StrobeError } from '../../model/errors.ts';
import { parseInput } from '../../protocol/parseInput.ts';
import { debugChannel } from '../../protocol/tools/debugChannel.ts';
import { debugQuery } from '../../protocol/tools/debugQuery.ts';
import { debugUi } from '../../protocol/tools/debugUi.ts';
import {
  scenarioElement,
  scenarioStep,
  type ElementCheck,
  type ScenarioCheck,
  type ScenarioStep,
} from '../../protocol/tools/scenario.ts';

/** A call of a tool that carries out a step, or shows what a check is about. */
export type StepCall =
  | { readonly tool: 'debug_ui'; readonly request: Readonly<Record<string, unknown>> }
  | { readonly tool: 'debug_channel'; readonly request: Readonly<Record<string, unknown>> }
  | { readonly tool: 'debug_query'; readonly request: Readonly<Record<string, unknown>> };

/** Events of a query that a check looks at. */
const MOST_EVENTS = 20;
const CHECK_BUDGET = 6000;

/** Reads every step before the first is carried out. Throws with the number of the step that cannot be. */
export function readSteps(given: readonly unknown[], channels: ChannelList): ScenarioStep[] {
  const saved = new Set<string>();
  return given.map((one, at) => {
    try {
      refuseOtherWord(one);
      const step = parseInput(scenarioStep, one);
      refuseUnsaved(step, saved);
      if ('do' in step) readAction(step, channels);
      const check = checkOf(step);
      if (check !== null) readCheck(check, channels);
      if (!('do' in step) && 'save' in step) saved.add(step.save);
      return step;
    } catch (error) {
      if (!(error instanceof StrobeError)) throw error;
      const message = error.message.replace(/^(?:debug_\w+|a step|a check of ui): /, '');
      throw new StrobeError(error.code, `Step ${at + 1}: ${message}`, error.hint);
    }
  });
}

/** A misspelt word makes a step of no kind. */
function refuseOtherWord(step: unknown): void {
  const names = Object.keys(typeof step === 'object' && step !== null ? step : {});
  const words = Object.keys(scenarioStep.variant.by);
  if (words.some((word) => names.includes(word))) return;
  for (const name of names) {
    const [close] = nearest(name, words);
    if (close !== undefined)
      throw new StrobeError(
        'UNKNOWN_PARAMETER',
        `"${name}" begins no step. Did you mean "${close}"?`,
        `Use "${close}".`,
      );
  }
}

/** What is looked for in a step; of an action what is expected of it. */
export function checkOf(step: ScenarioStep): ScenarioCheck | null {
  if ('do' in step) return step.expect ?? null;
  if ('wait' in step) return step.wait;
  return 'assert' in step ? step.assert : step.from;
}

/** The channels that steps use, each once. */
export function channelsOf(steps: readonly ScenarioStep[]): string[] {
  const names = steps.flatMap((step) => [
    ...('do' in step ? [step.on ?? 'ui'] : []),
    ...[checkOf(step)?.on].filter((name) => name !== undefined),
  ]);
  return [...new Set(names)];
}

/** The functions that checks of the trace name. */
export function functionsOf(steps: readonly ScenarioStep[]): string[] {
  return steps.flatMap((step) => {
    const check = checkOf(step);
    if (check?.on !== 'trace') return [];
    const wanted: unknown = check['function'];
    if (typeof wanted === 'string') return [wanted];
    const named = new Map<string, unknown>(Object.entries(wanted ?? {}));
    const name = named.get('pattern') ?? named.get('equals');
    return typeof name === 'string' ? [name] : [];
  });
}

/** `id`: of the element that is meant, where the step names it by role and name. */
export function actionCall(
  step: Extract<ScenarioStep, { do: string }>,
  sessionId: string | null,
  id: string | null,
): StepCall {
  const { do: action, on = 'ui', withinMs: _within, expect: _expect, ...fields } = step;
  const session = sessionId === null ? {} : { sessionId };
  // Who may run the scenario may carry out its steps.
  const owned = action === 'screenshot' ? {} : { takeOver: true };
  const usual = { ...session, ...owned, action };
  if (on !== 'ui') return { tool: 'debug_channel', request: { ...fields, ...usual, channel: on } };
  const { role: _role, name: _name, ...rest } = fields;
  const element = id === null ? {} : { id };
  return { tool: 'debug_ui', request: { ...rest, ...usual, ...element } };
}

/** Whether a step names its element by role and name. */
export function isByName(step: Extract<ScenarioStep, { do: string }>): boolean {
  return (step.on ?? 'ui') === 'ui' && ('role' in step || 'name' in step);
}

/** The query behind a check of anything but a window. */
export function lookCall(
  { on, count: _count, since: _since, ...fields }: ScenarioCheck,
  channels: ChannelList,
  where: { readonly sessionId?: string; readonly timeFrom?: number },
): StepCall {
  const { output } = channels.called(on);
  const usual = { ...where, limit: MOST_EVENTS, budget: CHECK_BUDGET };
  if (output?.kind === 'recorded' && output.view === 'events')
    return {
      tool: 'debug_query',
      request: { ...usual, view: 'events', eventType: ['call'], ...callFields(fields) },
    };
  return {
    tool: 'debug_channel',
    request: { ...usual, action: 'query', channel: on, ...fields },
  };
}

/** A function may be named, and one argument given, without the forms around them. */
function callFields(fields: Readonly<Record<string, unknown>>): object {
  const { function: named, argument } = fields;
  return {
    ...fields,
    ...(typeof named === 'string' ? { function: { pattern: named } } : {}),
    ...(argument === undefined || Array.isArray(argument) ? {} : { argument: [argument] }),
  };
}

/** Reads a check of a window. */
export function elementCheckOf(check: ScenarioCheck): ElementCheck {
  return parseInput(scenarioElement, check);
}

function readCheck(check: ScenarioCheck, channels: ChannelList): void {
  if (check.on === 'ui') {
    elementCheckOf(check);
    return;
  }
  const { output } = channels.called(check.on);
  if (output === undefined)
    throw new StrobeError(
      'CHANNEL_UNAVAILABLE',
      `Nothing can be looked for on channel ${check.on}.`,
      'debug_channel {"action":"list"} shows which channels there are.',
    );
  readCall(lookCall(check, channels, {}));
}

function readAction(step: Extract<ScenarioStep, { do: string }>, channels: ChannelList): void {
  const on = step.on ?? 'ui';
  channels.called(on);
  const actions = on === 'ui' ? windowActions : channelActions;
  if (!actions.includes(step.do)) {
    const [close] = nearest(step.do, actions);
    const question = close === undefined ? '' : ` Did you mean "${close}"?`;
    throw new StrobeError(
      'BAD_PARAMETER',
      `"${step.do}" is nothing that can be done on channel ${on}.${question}`,
      `Use one of: ${actions.join(', ')}; "on" names the channel (default "ui").`,
    );
  }
  readCall(actionCall(step, null, isByName(step) ? 'any' : null));
}

const windowActions: readonly string[] = debugUi.input.options
  .map(({ shape }) => shape.action.value)
  .filter((action) => action !== 'tree');
const channelActions: readonly string[] = ['send', 'open', 'close'];

function readCall({ tool, request }: StepCall): void {
  if (tool === 'debug_ui') parseInput(debugUi, request);
  else if (tool === 'debug_channel') parseInput(debugChannel, request);
  else parseInput(debugQuery, request);
}

const mention = /\$\{(\w+)\}/g;

function refuseUnsaved(step: object, saved: ReadonlySet<string>): void {
  for (const [, name = ''] of JSON.stringify(step).matchAll(mention))
    if (!saved.has(name))
      throw new StrobeError(
        'BAD_PARAMETER',
        `\${${name}} is saved by no step before it.`,
        `Add {"save":"${name}","from":{…}} before it.`,
      );
}

/** The step with what was saved in the place of its names. */
export function withSaved<T>(value: T, saved: ReadonlyMap<string, string>): T;
export function withSaved(value: unknown, saved: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string')
    return value.replaceAll(mention, (whole, name: string) => saved.get(name) ?? whole);
  if (Array.isArray(value)) return value.map((one: unknown) => withSaved(one, saved));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]: [string, unknown]) => [
      key,
      withSaved(member, saved),
    ]),
  );
}
