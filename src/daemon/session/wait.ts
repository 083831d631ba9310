import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import type { QueryClient } from '../../db/queryClient.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { OutputLine } from '../../model/output.ts';
import type { CallView, StoreSummary } from '../../model/query.ts';
import type { WaitedFor, WaitReport } from '../../model/session.ts';
import type { DebugSessionInput } from '../../protocol/tools/debugSession.ts';
import { renderWait } from '../report/session.ts';
import type { RequestContext, ToolAnswer } from '../tools/handler.ts';
import type { AnySession } from './sessions.ts';

type WaitInput = Extract<DebugSessionInput, { action: 'wait' }>;

/** Neither output nor event for this long is idle. */
const IDLE_MS = 500;
/** Changes come in bursts, and each look makes the index commit: this often is enough. */
const LOOK_MS = 60;
const SHOWN_LINES = 20;
const SHOWN_CALLS = 10;

/** What a wait has seen so far: everything up to `time`, and `lines` output lines. */
interface Mark {
  readonly time: SessionNs;
  readonly line: number;
}

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
  let quiet = { summary: await wait.summary(), sinceMs: monotonicMs() };
  for (;;) {
    const summary = await wait.summary();
    if (activity(summary) !== activity(quiet.summary)) quiet = { summary, sinceMs: monotonicMs() };
    const live = found.kind === 'live' && !found.session.isFinished;
    const what = await wait.happened(wanted, from, monotonicMs() - quiet.sinceMs);
    const waitedMs = Math.round(monotonicMs() - began);
    const left = input.timeoutMs - waitedMs;
    const result: WaitReport['result'] | null =
      what !== null
        ? { kind: 'happened', what }
        : !live
          ? { kind: 'ended' }
          : left <= 0 || context.signal.aborted
            ? { kind: 'timeout' }
            : null;
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
        output: await wait.output(from, what === 'output'),
        calls,
        cursor: await wait.cursor(),
      };
      return renderWait(report, answerBudget);
    }
    context.progress(`waiting for ${input.for.join(' or ')}`, waitedMs, input.timeoutMs);
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

  /** Drains up to now. */
  async summary(): Promise<StoreSummary> {
    const settled = this.#found.kind === 'live' ? await this.#found.session.settle() : null;
    this.#until = settled?.until ?? Number.MAX_SAFE_INTEGER;
    const summary = settled?.summary ?? (await this.#queries.summary(this.#storePath));
    this.#summary = summary;
    return summary;
  }

  /**
   * Where what counts begins: the cursor; for a text that is waited for the session's start, as
   * it may have come before the wait did; else now.
   */
  async start(): Promise<Mark> {
    if (this.#input.after !== undefined) return readCursor(this.#input.after);
    if (this.#input.match !== undefined) return { time: 0, line: 0 };
    return this.here();
  }

  async here(): Promise<Mark> {
    const summary = await this.summary();
    return { time: summary.indexedTo, line: summary.outputLines };
  }

  async cursor(): Promise<string> {
    const { time, line } = await this.here();
    return `w${time}.${line}`;
  }

  async happened(
    wanted: ReadonlySet<WaitedFor>,
    from: Mark,
    quietMs: number,
  ): Promise<WaitedFor | null> {
    const ended = this.#found.kind === 'past' || !this.#found.session.isLive;
    if (wanted.has('output') && (await this.#outputFits(from))) return 'output';
    if (wanted.has('event') && (await this.calls(from)).length > 0) return 'event';
    if (wanted.has('exit') && ended) return 'exit';
    if (wanted.has('idle') && !ended && quietMs >= IDLE_MS) return 'idle';
    return null;
  }

  async #outputFits(from: Mark): Promise<boolean> {
    const summary = this.#summary;
    if (!summary || summary.outputLines <= from.line) return false;
    const lines = await this.#lines(from, this.#input.match ?? null, 1);
    return lines.length > 0;
  }

  /** `fitting`: only the lines that were waited for. */
  async output(from: Mark, fitting: boolean): Promise<readonly OutputLine[]> {
    return this.#lines(from, fitting ? (this.#input.match ?? null) : null, SHOWN_LINES);
  }

  /** Calls of matching functions that began after the mark. */
  async calls(from: Mark): Promise<readonly CallView[]> {
    const { match } = this.#input;
    const page = await this.#queries.events(this.#storePath, {
      filter: {
        timeFrom: from.time,
        ...(match === undefined ? {} : { function: { pattern: match } }),
      },
      eventTypes: ['call'],
      order: 'time',
      limit: SHOWN_CALLS,
      cursor: null,
      until: this.#until,
      deadlineMs: 1000,
    });
    return page.events.flatMap((event) => ('call' in event ? [event.call] : []));
  }

  /** Waits for a change, at most `ms`. */
  async change(ms: number): Promise<void> {
    if (this.#found.kind !== 'live') return;
    const { session } = this.#found;
    await session.changes.next(Math.max(1, ms), this.#context.signal);
    if (session.isLive) await pause(LOOK_MS, this.#context.signal);
  }

  async #lines(from: Mark, match: string | null, limit: number): Promise<readonly OutputLine[]> {
    const page = await this.#queries.output(this.#storePath, {
      stream: null,
      tail: null,
      match,
      pid: null,
      timeFrom: from.time,
      timeTo: null,
      limit,
      cursor: null,
      until: this.#until,
    });
    return page.lines;
  }
}

function readCursor(text: string): Mark {
  const found = /^w(\d{1,17})\.(\d{1,15})$/.exec(text);
  if (!found) throw new StrobeError('BAD_CURSOR', 'The cursor is not one of debug_session wait.');
  return { time: Number(found[1]), line: Number(found[2]) };
}
