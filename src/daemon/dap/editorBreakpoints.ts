import type { DebugProtocol } from '@vscode/debugprotocol';
import { StrobeError } from '../../model/errors.ts';
import type { ProbeReport, ProbeRequest } from '../../model/probes/probe.ts';
import type { LiveSession } from '../session/liveSession.ts';
import { requestOf, type AskedObject } from '../tools/askedBreakpoint.ts';
import { readProbe } from '../tracing/sessionProbes.ts';

/** What an editor asks of one breakpoint. */
export interface AskedBreakpoint {
  readonly where: Pick<
    AskedObject,
    'file' | 'line' | 'function' | 'address' | 'exception' | 'caught' | 'type' | 'data' | 'access'
  >;
  readonly condition?: string | undefined;
  readonly hitCondition?: string | undefined;
  readonly logMessage?: string | undefined;
}

interface Listed {
  readonly number: number;
  /** What it was asked as: the same again keeps it, with its hits. */
  readonly key: string;
  readonly line: number | null;
  /** Null: it cannot be. */
  readonly asked: AskedObject | null;
  readonly request: ProbeRequest | null;
  /** In the session; null: it is not there. */
  probe: string | null;
  problem: string | null;
  /** Its last report to the editor, as text. */
  reported: string;
}

const waiting = 'It waits until the program runs.';

/**
 * The breakpoints of one editor. It always sends whole lists, one for each source, of functions and of instructions:
 * only what this editor set is changed, never what an agent or a terminal did.
 */
export class EditorBreakpoints {
  readonly #owner: string;
  readonly #lists = new Map<string, Listed[]>();
  #session: LiveSession | null = null;
  #next = 1;

  constructor(owner: string) {
    this.#owner = owner;
  }

  /** Replaces a list; a breakpoint each, in their order. */
  async set(list: string, asked: readonly AskedBreakpoint[]): Promise<DebugProtocol.Breakpoint[]> {
    const before = [...(this.#lists.get(list) ?? [])];
    const listed = asked.map((one) => {
      const key = JSON.stringify(one);
      const same = before.findIndex((other) => other.key === key);
      const [kept] = same < 0 ? [] : before.splice(same, 1);
      return kept ?? this.#listed(one, key);
    });
    this.#lists.set(list, listed);
    await this.#remove(before);
    await this.#place(listed);
    return listed.map((one) => this.#report(one));
  }

  /** What a launch is to have before anything runs. */
  get asked(): readonly AskedObject[] {
    return [...this.#lists.values()].flat().flatMap(({ asked }) => asked ?? []);
  }

  /** Puts them into the program that runs now. Those that its launch has placed are known again. */
  async begin(session: LiveSession): Promise<void> {
    this.#session = session;
    const all = [...this.#lists.values()].flat();
    const free = new Map(session.tracing.probes.requestsOf(this.#owner));
    for (const one of all) {
      const same = [...free].find(([, request]) => isSame(request, one.request));
      if (one.request === null || !same) continue;
      [one.probe] = same;
      free.delete(same[0]);
    }
    await this.#place(all);
  }

  /** Those whose last report is out of date. */
  changed(): DebugProtocol.Breakpoint[] {
    const all = [...this.#lists.values()].flat();
    return all.flatMap((one) => {
      const { reported } = one;
      const now = this.#report(one);
      return one.reported === reported ? [] : [now];
    });
  }

  /** The numbers of those that a thread stopped at. */
  numbersOf(probes: readonly string[]): number[] {
    const all = [...this.#lists.values()].flat();
    return all
      .filter(({ probe }) => probe !== null && probes.includes(probe))
      .map(({ number }) => number);
  }

  /** Takes all of them out of the session; the lists stay, for another one. */
  async leave(): Promise<void> {
    const all = [...this.#lists.values()].flat();
    await this.#remove(all);
    this.forget();
  }

  /** Its session is over. */
  forget(): void {
    for (const one of [...this.#lists.values()].flat()) one.probe = null;
    this.#session = null;
  }

  #listed(given: AskedBreakpoint, key: string): Listed {
    const line = given.where.line ?? null;
    const known = { number: this.#next++, key, line, probe: null, reported: '' };
    try {
      const asked = askedOf(given);
      const request = requestOf(asked);
      readProbe('b0', request);
      return { ...known, asked, request, problem: null };
    } catch (error) {
      if (!(error instanceof StrobeError)) throw error;
      return { ...known, asked: null, request: null, problem: error.message };
    }
  }

  async #remove(gone: readonly Listed[]): Promise<void> {
    const remove = gone.flatMap(({ probe }) => (probe === null ? [] : [probe]));
    if (remove.length === 0 || this.#session?.isLive !== true) return;
    await this.#session.tracing.changeProbes({ add: [], change: [], remove }, this.#owner);
  }

  /** One after the other: one that is refused keeps the rest. */
  async #place(listed: readonly Listed[]): Promise<void> {
    if (this.#session?.isLive !== true) return;
    const { tracing } = this.#session;
    const ids = (): string[] => tracing.probes.reports().map(({ id }) => id);
    for (const one of listed) {
      if (one.probe !== null || one.request === null) continue;
      const known = new Set(ids());
      try {
        const change = { add: [one.request], change: [], remove: [] };
        const done = tracing.changeProbes(change, this.#owner);
        // It gets its id before anything is awaited, so no other client's comes between.
        one.probe = ids().find((id) => !known.has(id)) ?? null;
        await done;
        one.problem = null;
      } catch (error) {
        if (!(error instanceof StrobeError)) throw error;
        one.problem = [error.message, error.hint].filter(Boolean).join(' ');
      }
    }
  }

  #report(listed: Listed): DebugProtocol.Breakpoint {
    const { number, line, probe, problem } = listed;
    const found = this.#session?.tracing.probes.reports().find(({ id }) => id === probe);
    const place = found?.places.find(({ isBound }) => isBound);
    const at = place?.line ?? line;
    const message = problem ?? (found ? saidOf(found) : waiting);
    const report = {
      id: number,
      verified: found?.state === 'bound',
      ...(at === null ? {} : { line: at }),
      ...(place?.file ? { source: { path: place.file } } : {}),
      ...(message === '' ? {} : { message }),
    };
    listed.reported = JSON.stringify(report);
    return report;
  }
}

function saidOf({ state, reasons, nearest, moved }: ProbeReport): string {
  if (state === 'bound') return moved?.why ?? '';
  const near = nearest.length === 0 ? [] : [`Nearest lines: ${nearest.join(', ')}.`];
  return [...reasons, ...near].join(' ') || waiting;
}

function isSame(a: ProbeRequest, b: ProbeRequest | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function askedOf({ where, condition, hitCondition, logMessage }: AskedBreakpoint): AskedObject {
  return {
    ...where,
    ...(condition ? { condition } : {}),
    ...hitsOf(hitCondition),
    ...(logMessage ? { log: logMessage } : { stop: 'thread' }),
  };
}

/** `5`: that hit; `> 5`: those after it; `% 5`: each fifth. Throws BAD_PARAMETER. */
function hitsOf(text: string | undefined): Pick<AskedObject, 'at' | 'after' | 'every'> {
  if (text === undefined || text.trim() === '') return {};
  const [, sign = '', digits] = /^\s*(==?|>=?|%)?\s*(\d{1,9})\s*$/.exec(text) ?? [];
  const count = Number(digits);
  if (digits === undefined || count === 0)
    throw new StrobeError('BAD_PARAMETER', `Hit count "${text}" is none of: 5, > 5, >= 5, % 5.`);
  if (sign === '>') return { after: count };
  if (sign === '>=') return count === 1 ? {} : { after: count - 1 };
  return sign === '%' ? { every: count } : { at: count };
}
