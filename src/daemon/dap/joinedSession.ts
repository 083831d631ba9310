import type { DebugProtocol } from '@vscode/debugprotocol';
import { lookAt } from '../../collector/look/lookAt.ts';
import type { QueryClient } from '../../db/queryClient.ts';
import type { StopCause, StopView } from '../../model/debug/stop.ts';
import { EditorTasks } from './editorTasks.ts';
import { entryLabel } from './entryBreakpoint.ts';
import type { OutputLine } from '../../model/outputRecord.ts';
import type { SessionNs } from '../../model/ids.ts';
import { loggedText } from '../report/text/callText.ts';
import type { LiveSession } from '../session/liveSession.ts';

/** What a session tells an editor that joined it. */
export interface EditorSink {
  event(name: string, body: object): void;
  /** The editor's own numbers of breakpoints of the session. */
  numbersOf(probes: readonly string[]): readonly number[];
  /** A stop was left, by whomever: what was handed out for it is stale. */
  left(stop: string): void;
  /** Something about the session may have changed. */
  looked(): void;
}

/** A person cannot read faster. */
const turnMs = 200;
const page = 500;

/**
 * A session as one editor follows it: the stops and continues of all clients; the
 * program's output; its end.
 */
export class JoinedSession {
  readonly session: LiveSession;
  readonly #queries: QueryClient;
  readonly #sink: EditorSink;
  readonly #gone = new AbortController();
  readonly tasks: EditorTasks;
  /** Threads, and the tasks that stand with them, by the stops that were reported. */
  readonly #reported = new Map<string, readonly number[]>();
  /** Stops that the editor itself left. */
  readonly #moved = new Set<string>();
  #shownTo: SessionNs = -1;
  #hitsTo: SessionNs = -1;

  constructor(session: LiveSession, queries: QueryClient, sink: EditorSink) {
    this.session = session;
    this.tasks = new EditorTasks(() => session.tracing.stops);
    this.#queries = queries;
    this.#sink = sink;
  }

  /** Reports the present stops, and from then on all that happens. */
  begin(): void {
    this.#hitsTo = this.session.now();
    void this.#watchStops();
    void this.#watchOutput();
  }

  close(): void {
    this.#gone.abort();
  }

  /** The stop a thread stands at; null: it runs. */
  stopOf(tid: number): StopView | null {
    return this.session.tracing.stops.held.find(({ thread }) => thread.tid === tid) ?? null;
  }

  /** Its next run is the editor's own doing: it knows. */
  moves(stop: StopView): void {
    this.#moved.add(stop.id);
  }

  /** Of the process whose threads can be stopped, without those that trace it; the main one first. Then those of other processes that stand. */
  threads(): DebugProtocol.Thread[] {
    const pid = this.session.tracing.stops.process.now?.pid ?? this.session.pid;
    const main = pid !== null && this.session.isLive ? threadsOf(pid) : [];
    const known = new Set(main.map(({ id }) => id));
    const others = this.session.tracing.stops.held.map(({ thread: { tid: id, name } }) => ({
      id,
      name,
    }));
    return [...main, ...others.filter(({ id }) => !known.has(id)), ...this.tasks.rows()];
  }

  async #watchStops(): Promise<void> {
    const { signal } = this.#gone;
    while (!signal.aborted && this.session.isLive) {
      this.#sink.looked();
      this.#reportStops();
      await this.session.changes.next(60_000, signal);
    }
  }

  #reportStops(): void {
    const { held } = this.session.tracing.stops;
    const threads = new Set(held.map(({ thread }) => thread.tid));
    for (const [id, [tid = 0, ...tasks]] of this.#reported) {
      if (held.some((stop) => stop.id === id)) continue;
      this.#reported.delete(id);
      this.#sink.left(id);
      const isOwn = this.#moved.delete(id);
      const left = isOwn || threads.has(tid) ? tasks : [tid, ...tasks];
      for (const threadId of left)
        this.#sink.event('continued', { threadId, allThreadsContinued: false });
    }
    for (const stop of held.toReversed()) {
      if (this.#reported.has(stop.id)) continue;
      const tasks = stop.holds === 'process' ? [] : this.tasks.told(stop);
      this.#reported.set(stop.id, [stop.thread.tid, ...tasks]);
      this.#sink.event('stopped', this.#stopBody(stop));
      for (const threadId of tasks) this.#sink.event('stopped', suspendedBody(threadId));
    }
  }

  #stopBody({ id, thread, holds }: StopView): DebugProtocol.StoppedEvent['body'] {
    const { cause, tid, name } = thread;
    const numbers = cause.kind === 'breakpoint' ? this.#sink.numbersOf(cause.ids) : [];
    const by = cause.kind === 'breakpoint' ? ` at ${cause.ids.join(', ')}` : '';
    return {
      reason: this.#reasonOf(cause),
      description: `Stop ${id}${by}`,
      text: `${id}: thread ${name} (${tid})${by}`,
      threadId: tid,
      allThreadsStopped: holds === 'process',
      ...(numbers.length > 0 ? { hitBreakpointIds: [...numbers] } : {}),
    };
  }

  /** In the words of the protocol. */
  #reasonOf(cause: StopCause): string {
    if (cause.kind !== 'breakpoint') return cause.kind;
    const { probes } = this.session.tracing;
    const hit = probes.reports().filter(({ id }) => cause.ids.includes(id));
    if (hit.some(({ label }) => label === entryLabel)) return 'entry';
    const isRaise = cause.ids.some((id) => probes.whereOf(id)?.kind === 'exception');
    if (cause.touched !== undefined) return 'data breakpoint';
    return isRaise ? 'exception' : 'breakpoint';
  }

  async #watchOutput(): Promise<void> {
    const { signal } = this.#gone;
    while (!signal.aborted) {
      const isLast = this.session.isFinished;
      await this.#reportOutput();
      if (isLast) break;
      await this.session.changes.until(() => this.session.isFinished, turnMs, signal);
    }
    if (!signal.aborted) this.#reportEnd();
  }

  async #reportOutput(): Promise<void> {
    const { facts } = this.session;
    const settled = await this.session.settle().catch(() => null);
    const until = settled?.until ?? Number.MAX_SAFE_INTEGER;
    if (!this.session.tracing.probes.isEmpty) await this.#reportHits(until);
    const found = await this.#queries
      .ask('output', facts.storePath, {
        stream: null,
        tail: page,
        match: null,
        pid: null,
        timeFrom: this.#shownTo + 1,
        timeTo: null,
        limit: page,
        cursor: null,
        until,
      })
      .catch(() => null);
    if (found === null) return;
    const left = found.total - found.lines.length;
    if (left > 0)
      this.#sink.event('output', {
        category: 'important',
        output: `… ${left} lines of output are left out here; all are in session ${facts.id}.\n`,
      });
    for (const line of found.lines) this.#sink.event('output', outputBody(line));
    this.#shownTo = found.lines.at(-1)?.time ?? this.#shownTo;
  }

  /** What breakpoints log, the editor's and those of others. */
  async #reportHits(until: SessionNs): Promise<void> {
    const found = await this.#queries
      .ask('events', this.session.facts.storePath, {
        filter: { timeFrom: this.#hitsTo + 1 },
        eventTypes: ['logpoint'],
        order: 'time',
        limit: page,
        cursor: null,
        until,
        deadlineMs: 1000,
      })
      .catch(() => null);
    for (const event of found?.events ?? []) {
      this.#hitsTo = event.time;
      const log = 'call' in event ? event.call.probe?.log : null;
      if (!('call' in event) || log == null) continue;
      const { file, line } = event.call;
      this.#sink.event('output', {
        category: 'console',
        output: `${loggedText(event.call, log, { verbose: false })}\n`,
        ...(file === null || line === null ? {} : { source: { path: file }, line }),
      });
    }
  }

  #reportEnd(): void {
    const { state } = this.session;
    const exit = state.kind === 'ended' ? state.exit : null;
    if (exit?.kind === 'exited') this.#sink.event('exited', { exitCode: exit.code });
    else if (exit?.kind === 'signalled')
      this.#sink.event('exited', { exitCode: 128 + exit.number });
    this.#sink.event('terminated', {});
  }
}

/** A task stands still as its loop's thread does; the editor stays where it is. */
function suspendedBody(threadId: number): DebugProtocol.StoppedEvent['body'] {
  return { reason: 'pause', description: 'Suspended', threadId, preserveFocusHint: true };
}

function outputBody({ stream, text }: OutputLine): DebugProtocol.OutputEvent['body'] {
  return { category: stream, output: `${text}\n` };
}

function threadsOf(pid: number): DebugProtocol.Thread[] {
  try {
    const threads = lookAt(pid).threads.map(({ tid, name }) => ({ id: tid, name }));
    return threads.toSorted((a, b) => Number(b.id === pid) - Number(a.id === pid));
  } catch {
    return []; // It has just ended.
  }
}
