import { monotonicMs } from '../../base/clock.ts';
import type { QueryClient } from '../../db/queryClient.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SessionNs } from '../../model/ids.ts';
import type {
  CallView,
  OutputMark,
  OutputPage,
  StoreSummary,
} from '../../model/questions/query.ts';
import type { WaitedFor, WaitReport } from '../../model/session.ts';
import type { DebugSessionInput } from '../../protocol/tools/debugSession.ts';
import { renderWait } from '../report/session/waitAnswer.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import type { RequestContext } from '../request.ts';
import type { AnySession } from './sessions.ts';
import { whyNeverCalled } from '../tracing/neverCalled.ts';

type WaitInput = Extract<DebugSessionInput, { action: 'wait' }>;

/** Neither output nor event for this long is idle. */
const IDLE_MS = 500;
/** Changes come in bursts, and each look makes the index commit: this often is enough. */
const LOOK_MS = 60;
/** What a program did before its end is waited for until it is stored, but no longer. */
const LATE_INDEX_MS = 2000;
/** A wait for the end alone says so this often. */
const TELL_MS = 1000;
const SHOWN_LINES = 20;
const SHOWN_CALLS = 10;

/** Unfinished lines a cursor remembers: those that began last. A process has two at most. */
const REMEMBERED_LINES = 40;
const begin: OutputMark = { time: -1, unfinished: [] };

/** A wait as it was asked for. */
export interface WaitRequest {
  readonly found: AnySession;
  readonly queries: QueryClient;
  readonly input: WaitInput;
  readonly context: RequestContext;
  /** Tokens of the answer. */
  readonly answerBudget: number;
}

/** debug_session wait: ends with the first thing asked for, the limit, or the end of the program. */
export async function waitFor({
  found,
  queries,
  input,
  context,
  answerBudget,
}: WaitRequest): Promise<ToolAnswer> {
  const began = monotonicMs();
  const wanted = new Set<WaitedFor>(input.for);
  const wait = new Wait(found, queries, input, context);
  const from = await wait.start();
  const doing = `waiting for ${input.for.join(' or ')}`;
  if (wanted.size === 1 && wanted.has('exit'))
    await wait.untilEnded(input.timeoutMs, (waitedMs) =>
      context.progress(doing, waitedMs, input.timeoutMs),
    );
  let quiet = { summary: await wait.summary(), sinceMs: monotonicMs() };
  for (;;) {
    const summary = await wait.summary();
    if (activity(summary) !== activity(quiet.summary)) quiet = { summary, sinceMs: monotonicMs() };
    const live = found.kind === 'live' && !found.session.isFinished;
    const what = await wait.happened(wanted, from, monotonicMs() - quiet.sinceMs);
    const waitedMs = Math.round(monotonicMs() - began);
    const left = input.timeoutMs - waitedMs;
    const never = what === null && live ? wait.whyNever(wanted) : null;
    const result: WaitReport['result'] | null =
      what !== null
        ? { kind: 'happened', what }
        : !live
          ? { kind: 'ended' }
          : never !== null
            ? { kind: 'impossible', ...never }
            : left <= 0 || context.signal.aborted
              ? { kind: 'timeout' }
              : null;
    if (result !== null && wait.isLate(context.signal)) {
      await wait.change(LOOK_MS);
      continue;
    }
    if (result) {
      const calls = what === 'event' ? await wait.calls(from) : [];
      const report: WaitReport = {
        session: found.session.view(context.client),
        summary,
        waitedFor: input.for,
        match: input.match ?? null,
        result,
        waitedMs,
        timeoutMs: input.timeoutMs,
        output: await wait.output(from, result),
        indexedTo: wait.isStored ? null : summary.indexedTo,
        calls,
        cursor: wait.cursor(),
      };
      return renderWait(report, answerBudget);
    }
    context.progress(doing, waitedMs, input.timeoutMs);
    await wait.change(Math.min(left, wanted.has('idle') ? IDLE_MS : left));
  }
}

function activity(summary: StoreSummary): number {
  return summary.calls + summary.counters.seen + summary.outputBytes;
}

class Wait {
  readonly #found: AnySession;
  readonly #queries: QueryClient;
  readonly #input: WaitInput;
  readonly #context: RequestContext;
  #until: SessionNs = Number.MAX_SAFE_INTEGER;
  #summary: StoreSummary | null = null;
  #isStored = true;
  #lateSinceMs: number | null = null;
  /** Bytes of output, when they were first seen, and whether nothing waited for is in them. */
  #seen = { bytes: -1, at: 0, isWithout: false };

  constructor(found: AnySession, queries: QueryClient, input: WaitInput, context: RequestContext) {
    this.#found = found;
    this.#queries = queries;
    this.#input = input;
    this.#context = context;
  }

  get #storePath(): string {
    return this.#found.kind === 'live'
      ? this.#found.session.facts.storePath
      : this.#found.session.storePath;
  }

  /** Whether the last summary holds everything up to then. */
  get isStored(): boolean {
    return this.#isStored;
  }

  /** The program has ended, and what it did last may still be stored. */
  isLate(signal: AbortSignal): boolean {
    const hasEnded = this.#found.kind === 'past' || !this.#found.session.isLive;
    if (!hasEnded || this.#isStored || signal.aborted) return false;
    this.#lateSinceMs ??= monotonicMs();
    return monotonicMs() - this.#lateSinceMs < LATE_INDEX_MS;
  }

  /** Drains up to now. */
  async summary(): Promise<StoreSummary> {
    const settled = this.#found.kind === 'live' ? await this.#found.session.settle() : null;
    this.#isStored = settled?.complete !== false;
    this.#until = settled?.until ?? Number.MAX_SAFE_INTEGER;
    const summary = settled?.summary ?? (await this.#queries.ask('summary', this.#storePath, null));
    this.#summary = summary;
    return summary;
  }

  /**
   * Where what counts begins: the cursor; for a text that is waited for the last input, else the
   * session's start, as it may have come before the wait did; else the last input when no wait
   * was answered since; else now.
   */
  async start(): Promise<OutputMark> {
    if (this.#input.after !== undefined) return readCursor(this.#input.after);
    const typed = this.#found.kind === 'live' ? this.#found.session.input : null;
    if (this.#input.match !== undefined) return typed?.typedAt ?? begin;
    if (typed?.typedAt && !typed.isAnswered) return typed.typedAt;
    await this.summary();
    return this.#here();
  }

  #here(): OutputMark {
    return markOf({ until: this.#until, summary: this.#summary });
  }

  cursor(): string {
    if (this.#found.kind === 'live') this.#found.session.input.isAnswered = true;
    return cursorText(this.#here());
  }

  async happened(
    wanted: ReadonlySet<WaitedFor>,
    from: OutputMark,
    quietMs: number,
  ): Promise<WaitedFor | null> {
    const ended = this.#found.kind === 'past' || !this.#found.session.isLive;
    if (wanted.has('output') && (await this.#outputFits(from))) return 'output';
    if (wanted.has('event') && (await this.calls(from)).length > 0) return 'event';
    if (wanted.has('exit') && ended) return 'exit';
    if (wanted.has('idle') && !ended && quietMs >= IDLE_MS) return 'idle';
    return null;
  }

  async #outputFits(from: OutputMark): Promise<boolean> {
    const bytes = this.#summary?.outputBytes ?? 0;
    if (bytes !== this.#seen.bytes) {
      const at = this.#found.kind === 'live' ? this.#found.session.now() : 0;
      this.#seen = { bytes, at, isWithout: false };
    } else if (this.#seen.isWithout) return false;
    const { total } = await this.#lines(from, this.#input.match ?? null, 1);
    // The last of them may be younger than what may be shown.
    this.#seen.isWithout = total === 0 && this.#until >= this.#seen.at;
    return total > 0;
  }

  /** Why an event that alone is waited for cannot come; null: it may. */
  whyNever(
    wanted: ReadonlySet<WaitedFor>,
  ): { readonly why: string; readonly stops: boolean } | null {
    if (this.#found.kind !== 'live' || wanted.size > 1 || !wanted.has('event')) return null;
    const { tracing } = this.#found.session;
    const requests = tracing.probes.requests.filter(({ isEnabled }) => isEnabled);
    if (requests.some(({ stop }) => stop === undefined)) return null;
    const why = whyNeverCalled(tracing.report(), this.#input.match ?? null);
    const stops = requests.length > 0;
    if (why === null) return null;
    return { why: stops ? `${why}, and a stop is no event` : why, stops };
  }

  /**
   * The last lines: those that were waited for, else all since the wait began. Who finds the
   * program ended may never have seen its last words, so these count from its start.
   */
  async output(from: OutputMark, result: WaitReport['result']): Promise<WaitReport['output']> {
    const isMatch = result.kind === 'happened' && result.what === 'output';
    const isOver =
      result.kind === 'ended' || (result.kind === 'happened' && result.what === 'exit');
    const since = isOver && this.#input.after === undefined ? begin : from;
    const match = isMatch ? (this.#input.match ?? null) : null;
    const { lines, total } = await this.#lines(since, match, SHOWN_LINES);
    return { lines, total, which: match !== null ? 'fitting' : since === begin ? 'all' : 'since' };
  }

  /** Calls of matching functions that began after the mark. */
  async calls(from: OutputMark): Promise<readonly CallView[]> {
    const { match } = this.#input;
    const page = await this.#queries.ask('events', this.#storePath, {
      filter: {
        timeFrom: from.time + 1,
        ...(match === undefined ? {} : { function: { pattern: match } }),
      },
      eventTypes: ['call', 'logpoint'],
      order: 'time',
      limit: SHOWN_CALLS,
      cursor: null,
      until: this.#until,
      deadlineMs: 1000,
    });
    return page.events.flatMap((event) => ('call' in event ? [event.call] : []));
  }

  /** Waits for the program's end, at most `ms`. What it does until then is not asked for, so that nobody reads it sooner than usual. */
  async untilEnded(ms: number, progress: (waitedMs: number) => void): Promise<void> {
    if (this.#found.kind !== 'live') return;
    const { session } = this.#found;
    const { signal } = this.#context;
    const began = monotonicMs();
    for (;;) {
      const waitedMs = Math.round(monotonicMs() - began);
      if (!session.isLive || waitedMs >= ms || signal.aborted) return;
      progress(waitedMs);
      await session.changes.until(() => !session.isLive, Math.min(ms - waitedMs, TELL_MS), signal);
    }
  }

  /** Waits for a change, at most `ms`. */
  async change(ms: number): Promise<void> {
    if (this.#found.kind !== 'live') return;
    const { session } = this.#found;
    await session.changes.next(Math.max(1, ms), this.#context.signal);
    await session.changes.until(() => !session.isLive, LOOK_MS, this.#context.signal);
  }

  async #lines(since: OutputMark, match: string | null, limit: number): Promise<OutputPage> {
    return await this.#queries.ask('output', this.#storePath, {
      since,
      stream: null,
      tail: limit,
      match,
      pid: null,
      timeFrom: null,
      timeTo: null,
      limit,
      cursor: null,
      until: this.#until,
    });
  }
}

/** Where a summary was made: later than that an answer says nothing. */
export function markOf(at: {
  readonly until: SessionNs;
  readonly summary: StoreSummary | null;
}): OutputMark {
  const time = Math.min(at.until, at.summary?.indexedTo ?? 0);
  const unfinished = (at.summary?.unfinishedLines ?? [])
    .filter((line) => line.time <= time && line.length > 0)
    .slice(-REMEMBERED_LINES);
  return { time, unfinished };
}

/** The cursor of a wait that begins at the mark. */
export function cursorText({ time, unfinished }: OutputMark): string {
  return `w${time}${unfinished.map(({ id, length }) => `.${id}-${length}`).join('')}`;
}

function readCursor(text: string): OutputMark {
  const found = /^w(\d{1,16})((?:\.\d{1,15}-\d{1,15})*)$/.exec(text);
  if (!found) throw new StrobeError('BAD_CURSOR', 'The cursor is not one of debug_session wait.');
  const lines = (found[2] ?? '').split('.').slice(1, REMEMBERED_LINES + 1);
  const unfinished = lines.map((line) => {
    const [id = '0', length = '0'] = line.split('-');
    return { id: Number(id), length: Number(length) };
  });
  return { time: Number(found[1]), unfinished };
}
