import { monotonicMs } from '../../base/clock.ts';
import type { ChannelList } from '../../collector/channels/channels.ts';
import { regexGroup } from '../../db/reader/filter/textFilter.ts';
import { StrobeError, type ErrorCode } from '../../model/errors.ts';
import type { StepResult } from '../../model/scenario/scenarioReport.ts';
import type { UiTree } from '../../model/ui/element.ts';
import { withoutFocus } from '../../model/ui/elementLine.ts';
import type { ScenarioCheck, ScenarioStep } from '../../protocol/tools/scenario.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import type { LiveSession } from '../session/liveSession.ts';
import { elementSeen, idOf, noElement, numberFits, type Seen } from './elementCheck.ts';
import {
  actionCall,
  checkOf,
  elementCheckOf,
  isByName,
  lookCall,
  withSaved,
  type StepCall,
} from './readSteps.ts';
import { stepText } from './stepText.ts';

/** What a scenario needs of the program. */
export interface ScenarioProgram {
  readonly session: LiveSession;
  readonly channels: ChannelList;
  readonly signal: AbortSignal;
  readonly call: (call: StepCall) => Promise<ToolAnswer>;
  readonly tree: () => Promise<UiTree>;
}

/** What one run leaves to the next that continues it. */
export interface ScenarioMemory {
  readonly saved: Map<string, string>;
  /** Session time of the last action; 0: there was none. */
  since: number;
}

/** How a step ended. */
export type Judged =
  | { readonly kind: 'passed'; readonly note: string }
  | { readonly kind: 'failed'; readonly seen: readonly string[] }
  /** The time of the whole call ran out. */
  | { readonly kind: 'unfinished'; readonly seen: readonly string[] };

const usualMs = { act: 5000, wait: 5000, assert: 1000 } as const;
/** Windows tell of no change that they were not asked about. */
const TURN_MS = 100;
/** For so long an upper bound must hold: what comes late counts. */
const STEADY_MS = 150;
/** What ends by itself: an element that is not there yet, a window that is still disabled. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'UNKNOWN_ELEMENT',
  'NOT_ACTIONABLE',
  'NO_WINDOW',
  'STDIN_CLOSED',
]);

/** Carries out the steps of a scenario, one after the other. */
export class ScenarioRun {
  readonly #program: ScenarioProgram;
  readonly #memory: ScenarioMemory;
  readonly #endMs: number;

  /** `endMs`: when the call must have been answered. */
  constructor(program: ScenarioProgram, memory: ScenarioMemory, endMs: number) {
    this.#program = program;
    this.#memory = memory;
    this.#endMs = endMs;
  }

  /** Never throws for what the program does or shows. */
  async judge(
    asked: ScenarioStep,
    number: number,
  ): Promise<Judged & Pick<StepResult, 'ms' | 'text'>> {
    const began = monotonicMs();
    const step = withSaved(asked, this.#memory.saved);
    const judged = await this.#judged(step, number).catch((error: unknown): Judged => {
      if (!(error instanceof StrobeError) || this.#program.signal.aborted) throw error;
      return { kind: 'failed', seen: [error.message, ...(error.hint === '' ? [] : [error.hint])] };
    });
    return { ...judged, text: stepText(step), ms: Math.round(monotonicMs() - began) };
  }

  async #judged(step: ScenarioStep, number: number): Promise<Judged> {
    if ('do' in step) return await this.#act(step);
    const check = checkOf(step);
    if (check === null) throw new StrobeError('INTERNAL', `Step ${number} has no check.`);
    const usual = 'assert' in step ? usualMs.assert : usualMs.wait;
    const { seen, isCut } = await this.#until(check, step.withinMs ?? usual);
    if (!seen.holds) return { kind: isCut ? 'unfinished' : 'failed', seen: seen.lines };
    return 'save' in step ? this.#save(step, seen) : { kind: 'passed', note: seen.lines[0] ?? '' };
  }

  #save({ save, part }: Extract<ScenarioStep, { save: string }>, seen: Seen): Judged {
    const value = part === undefined ? seen.value : regexGroup(part, seen.value ?? '');
    if (value === null)
      return { kind: 'failed', seen: [`no part of it matches /${part ?? ''}/`, ...seen.lines] };
    this.#memory.saved.set(save, value);
    return { kind: 'passed', note: `${save} = ${value}` };
  }

  async #act(step: Extract<ScenarioStep, { do: string }>): Promise<Judged> {
    const end = monotonicMs() + (step.withinMs ?? usualMs.act);
    for (;;) {
      this.#memory.since = this.#program.session.now();
      try {
        const { structured } = await this.#program.call(await this.#actionOf(step));
        const done = 'done' in structured ? String(structured.done) : 'sent';
        const change = changeOf(structured);
        if (done === 'noEffect') return { kind: 'failed', seen: [`no effect${change}`] };
        return await this.#expected(step, `${done}${change}`);
      } catch (error) {
        if (!(error instanceof StrobeError) || !passing.has(error.code)) throw error;
        if (monotonicMs() >= Math.min(end, this.#endMs) || !this.#program.session.isLive)
          throw error;
        await this.#program.session.changes.next(TURN_MS, this.#program.signal);
      }
    }
  }

  async #expected(step: Extract<ScenarioStep, { do: string }>, note: string): Promise<Judged> {
    if (step.expect === undefined) return { kind: 'passed', note };
    const { seen, isCut } = await this.#until(step.expect, step.withinMs ?? usualMs.assert);
    if (seen.holds) return { kind: 'passed', note };
    return {
      kind: isCut ? 'unfinished' : 'failed',
      seen: [`done (${note}), and not as expected:`, ...seen.lines],
    };
  }

  /** The element that a role and a name mean now. */
  async #actionOf(step: Extract<ScenarioStep, { do: string }>): Promise<StepCall> {
    const { id: sessionId } = this.#program.session.facts;
    if (!isByName(step)) return actionCall(step, sessionId, null);
    const located = Object.fromEntries(
      ['role', 'name'].flatMap((member) =>
        typeof step[member] === 'string' ? [[member, step[member]]] : [],
      ),
    );
    const tree = await this.#program.tree();
    const id = idOf(tree, located);
    if (id === null) throw new StrobeError('UNKNOWN_ELEMENT', `${noElement(tree, located)}.`);
    return actionCall(step, sessionId, id);
  }

  /** Looks until it is so; the last that was seen. `isCut`: the time of the call ended, not that of the step. */
  async #until(check: ScenarioCheck, withinMs: number): Promise<{ seen: Seen; isCut: boolean }> {
    const end = monotonicMs() + withinMs;
    const { session, signal } = this.#program;
    for (;;) {
      const wasLive = session.isLive;
      const seen = await this.#steady(check);
      const now = monotonicMs();
      if (seen.holds || now >= end || signal.aborted) return { seen, isCut: false };
      if (!wasLive)
        return { seen: { ...seen, lines: ['the program has ended', ...seen.lines] }, isCut: false };
      if (now >= this.#endMs) return { seen, isCut: true };
      await session.changes.next(Math.min(TURN_MS, end - now), signal);
    }
  }

  /** "Once" is not "at least once": what has an upper bound must still be so a moment later. */
  async #steady(check: ScenarioCheck): Promise<Seen> {
    const seen = await this.#look(check);
    const { count } = check;
    const isBounded =
      typeof count === 'number' || count?.equals !== undefined || count?.lt !== undefined;
    if (!seen.holds || !isBounded) return seen;
    const { session, signal } = this.#program;
    const end = monotonicMs() + STEADY_MS;
    while (session.isLive && !signal.aborted && monotonicMs() < end)
      await session.changes.next(end - monotonicMs(), signal);
    return await this.#look(check);
  }

  async #look(check: ScenarioCheck): Promise<Seen> {
    if (check.on === 'ui') {
      try {
        return elementSeen(await this.#program.tree(), elementCheckOf(check));
      } catch (error) {
        if (!(error instanceof StrobeError) || !passing.has(error.code)) throw error;
        return { holds: false, lines: [error.message], value: null };
      }
    }
    const timeFrom = check.since === 'start' ? 0 : this.#memory.since;
    const where = { sessionId: this.#program.session.facts.id, timeFrom };
    const { text, structured } = await this.#program.call(
      lookCall(check, this.#program.channels, where),
    );
    return eventsSeen(check, text, structured);
  }
}

/** What a query found, against how much of it there is to be. */
function eventsSeen(
  { on, count = { gt: 0 } }: ScenarioCheck,
  text: string,
  structured: object,
): Seen {
  const total =
    'totalCount' in structured ? Number(String(structured.totalCount).replace('≥ ', '')) : 0;
  const lines = text.split('\n').filter((line) => line.startsWith('+'));
  const notes =
    'notes' in structured && Array.isArray(structured.notes) ? structured.notes.map(String) : [];
  return {
    holds: numberFits(total, count),
    lines: [`${total} on ${on}`, ...lines, ...(total === 0 ? notes : [])],
    value: valueOf(structured),
  };
}

/** The first change that an action made, but for where the keyboard is. */
function changeOf(structured: object): string {
  const delta = 'delta' in structured && Array.isArray(structured.delta) ? structured.delta : [];
  const lines = delta.map(String);
  const isFocusAlone = (line: string): boolean => {
    const [now = '', was] = line.slice(2).split('  was ').map(withoutFocus);
    return now === was;
  };
  const line = lines.find((one) => !isFocusAlone(one)) ?? lines[0];
  return line === undefined ? '' : `: ${line}`;
}

/** The first event: its text. */
function valueOf(structured: object): string | null {
  const events =
    'events' in structured && Array.isArray(structured.events) ? structured.events : [];
  const first: unknown = events[0];
  if (typeof first !== 'object' || first === null) return null;
  const text = ('text' in first && first.text) || ('data' in first && first.data);
  return typeof text === 'string' ? text : JSON.stringify(first);
}
