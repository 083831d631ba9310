import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isOwnOf } from '../../base/clientId.ts';
import { monotonicMs } from '../../base/clock.ts';
import type { CatalogSession } from '../../db/catalog.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SessionId } from '../../model/ids.ts';
import type { EndedBy, ListReport, SessionView } from '../../model/session.ts';
import { crashNotes } from '../../model/endings/crashLine.ts';
import { stamp } from '../report/text/timeText.ts';
import type { Client } from '../request.ts';
import type { LaunchRequest } from './launchSession.ts';
import { livesOn } from './leftOver.ts';
import type { LiveSession } from './liveSession.ts';
import type { PastSession, PastSessions } from './pastSessions.ts';
import { Staging } from './staging.ts';

/** A retry of a launch with the same requestId within this time is the same launch. */
const REQUEST_MEMORY_MS = 10 * 60_000;
const LIST_PAGE = 50;
/** Finished sessions that stay in memory, with what is known of their hooks. */
const KEPT_FINISHED = 20;
/** Longer than a daemon that ends waits (serve.ts): what is not stored by then the next one reads. */
const STORED_LIMIT_MS = 60_000;

/** A session that can be asked about: running, or kept in the catalogue. */
export type AnySession =
  | { readonly kind: 'live'; readonly session: LiveSession }
  | { readonly kind: 'past'; readonly session: PastSession };

export function idOf(found: AnySession): SessionId {
  return found.kind === 'live' ? found.session.facts.id : found.session.id;
}

/** All sessions of this user, who owns them, and what is staged for the next launch. */
export class Sessions {
  readonly staging = new Staging();
  readonly #live = new Map<string, LiveSession>();
  readonly #again = new Map<SessionId, LaunchRequest>();
  readonly #past: PastSessions;
  readonly #requests = new Map<string, { session: Promise<LiveSession>; atMs: number }>();

  constructor(past: PastSessions) {
    this.#past = past;
  }

  get anyLive(): boolean {
    return this.running > 0;
  }

  /** Sessions whose program runs, or whose store is still written to. */
  get running(): number {
    return [...this.#live.values()].filter((session) => !session.isFinished).length;
  }

  /** `again`: how to start the same once more. It holds the environment, so it stays in memory. */
  register(session: LiveSession, again: LaunchRequest | null): void {
    this.#live.set(session.facts.id, session);
    if (again) this.#again.set(session.facts.id, again);
    this.#past.record(session);
  }

  forget(session: LiveSession): void {
    this.#live.delete(session.facts.id);
    this.#again.delete(session.facts.id);
    try {
      this.#past.forget(session.facts.id);
    } catch {
      // A row too many, of a disk that is full: the next daemon finds nothing behind it.
    }
  }

  changed(session: LiveSession): void {
    if (!this.#live.has(session.facts.id)) return;
    // The session itself must not suffer from a full disk; its next change is written again.
    if (!this.#recorded(session)) return;
    if (session.isFinished) this.#letGo();
  }

  /** The session meant: by id or unique prefix, else the one the client used last. */
  resolve(wanted: string | undefined, client: Client): AnySession {
    return this.#meant(wanted, client, false);
  }

  /** The same for what only a running program can do: of those that run, if there are any, the one used last. */
  resolveRunning(wanted: string | undefined, client: Client): AnySession {
    return this.#meant(wanted, client, true);
  }

  /** The id of the session that is meant when the client names none; null: it has none. */
  defaultOf(client: Client): SessionId | null {
    return (
      this.#latestLive(client)[0]?.facts.id ??
      this.#past.latestOf(client.id)?.id ??
      (client.kind === 'mcp' ? null : this.#latestOfAll())
    );
  }

  /** A person at a second terminal means what ran last, also of another client; a coding agent means its own. */
  #latestOfAll(): SessionId | null {
    const [latest] = [...this.#live.values()].toSorted((a, b) => b.usedAtMs - a.usedAtMs);
    return latest?.facts.id ?? this.#past.latest();
  }

  /** The client's own, the one used last first. */
  #latestLive(client: Client): LiveSession[] {
    return [...this.#live.values()]
      .filter((session) => isOwnOf(client.id, session.facts.owner.id))
      .toSorted((a, b) => b.usedAtMs - a.usedAtMs);
  }

  #meant(wanted: string | undefined, client: Client, preferRunning: boolean): AnySession {
    if (wanted !== undefined) return this.#byName(wanted);
    const mine = this.#latestLive(client);
    const running = preferRunning ? mine.find((session) => session.isLive) : undefined;
    const latest = running ?? mine[0];
    if (latest) return this.#used(latest);
    const past = this.#past.latestOf(client.id);
    if (past) return { kind: 'past', session: past };
    const others = client.kind === 'mcp' ? null : this.#latestOfAll();
    if (others !== null) return this.#byName(others);
    throw this.#noSession();
  }

  #noSession(): StrobeError {
    const [others] = [...this.#live.values()].toSorted((a, b) => b.usedAtMs - a.usedAtMs);
    const latest = others?.facts.id ?? this.#past.ids()[0];
    const hint =
      latest === undefined
        ? []
        : [
            `Start one with debug_launch, or give sessionId: the latest of another client is ${latest} (debug_session {"action":"list","scope":"all"} shows all).`,
          ];
    return new StrobeError('NO_SESSION', 'You have no session.', ...hint);
  }

  /** The live session meant; an ended one is an error. */
  resolveLive(wanted: string | undefined, client: Client): LiveSession {
    const found = this.resolveRunning(wanted, client);
    if (found.kind === 'live') return found.session;
    const view = found.session.view(client);
    const said = [`Session ${view.id} has ended.`, ...crashNotes(view)];
    throw new StrobeError('SESSION_ENDED', said.join(' '));
  }

  /** The session that observes a process, or null. What an attached process starts is only listed. */
  observing(pid: number): LiveSession | null {
    for (const session of this.#live.values()) {
      const followed = session.facts.isAttached ? [] : session.processes.running();
      if (session.isLive && (session.pid === pid || followed.some((one) => one.pid === pid)))
        return session;
    }
    return null;
  }

  /** Throws unless the client owns the session or takes it over. */
  requireOwner(session: LiveSession | PastSession, client: Client, takeOver: boolean): void {
    const view = session.view(client);
    if (view.owner.mine || takeOver) return;
    throw new StrobeError('NOT_OWNER', `Session ${view.id} belongs to another client.`);
  }

  list(
    client: Client,
    scope: 'mine' | 'all',
    state: string | null,
    cursor: string | null,
  ): ListReport {
    const views = [
      ...[...this.#live.values()].map((session) => session.view(client)),
      ...this.#past.views(client).filter((view) => !this.#live.has(view.id)),
    ].filter((view) => state === null || view.state.kind === state);
    const asked = scope === 'all' ? views : views.filter((view) => view.owner.mine);
    asked.sort((a, b) => b.startedAtMs - a.startedAtMs || (a.id < b.id ? -1 : 1));
    const start = cursor === null ? 0 : afterCursor(asked, cursor);
    const page = asked.slice(start, start + LIST_PAGE);
    const last = page.at(-1);
    const more = start + LIST_PAGE < asked.length && last !== undefined;
    return {
      scope,
      state,
      sessions: page,
      cursor: more ? last.id : null,
      total: asked.length,
      others: views.length - asked.length,
    };
  }

  /** Every id, for errors and completions. */
  ids(): string[] {
    return [...new Set([...this.#live.keys(), ...this.#past.ids()])];
  }

  /** The session an earlier launch with this request id started, or null after remembering this one. */
  async once(
    requestId: string | null,
    client: Client,
    start: () => Promise<LiveSession>,
  ): Promise<{ session: LiveSession; reused: boolean }> {
    if (requestId === null) return { session: await start(), reused: false };
    const now = monotonicMs();
    for (const [key, made] of this.#requests) {
      if (now - made.atMs > REQUEST_MEMORY_MS) this.#requests.delete(key);
    }
    const key = `${client.id}\0${requestId}`;
    const known = this.#requests.get(key);
    if (known) {
      const made = await known.session;
      if (this.row(made.facts.id) !== null) return { session: made, reused: true };
      // It was deleted meanwhile: there is nothing to come back to.
      if (this.#requests.get(key) === known) this.#requests.delete(key);
      return await this.once(requestId, client, start);
    }
    const session = start();
    this.#requests.set(key, { session, atMs: now });
    try {
      return { session: await session, reused: false };
    } catch (error) {
      this.#requests.delete(key);
      throw error;
    }
  }

  /** A retry of the launch that made this session gets it, also from another daemon. */
  remember(session: LiveSession): void {
    const { requestId, owner } = session.facts;
    if (requestId === null) return;
    const made = { session: Promise.resolve(session), atMs: monotonicMs() };
    this.#requests.set(`${owner.id}\0${requestId}`, made);
  }

  /** Notes something that concerns all programs that run, each with its own time. */
  noteAll(sentence: string): void {
    for (const session of this.#live.values())
      if (session.isLive) session.note(`${stamp(session.now())}: ${sentence}`);
  }

  /** Ends, releases or keeps the sessions of a client that went, as each of them says. */
  async ownerGone(clientId: string): Promise<void> {
    this.staging.forget(clientId);
    const live = [...this.#live.values()].filter(({ isLive }) => isLive);
    await Promise.allSettled(live.map((session) => session.tracing.stops.clientGone(clientId)));
    const mine = [...this.#live.values()].filter((session) => session.facts.owner.id === clientId);
    await Promise.allSettled(mine.map((session) => endAsAsked(session, 'clientExit')));
  }

  /** The daemon ends: programs that belong to it end, the others live on; of those that have ended all is stored. */
  async closeAll(): Promise<void> {
    await Promise.allSettled(
      [...this.#live.values()].map(async (session) => {
        await endAsAsked(session, 'daemonStop');
        await session.changes.until(() => session.isLive || session.isFinished, STORED_LIMIT_MS);
      }),
    );
  }

  /** Removes the files of a session that never ran. */
  async discard(session: LiveSession): Promise<void> {
    this.forget(session);
    await rm(session.facts.directory, { recursive: true, force: true });
  }

  /** What the catalogue knows of it. */
  row(id: SessionId): CatalogSession | null {
    return this.#past.row(id);
  }

  /** Its catalogue row, which says since when it has ended. */
  retain(id: SessionId): CatalogSession | null {
    return this.#past.retain(id);
  }

  /** Its program runs, or its store is still written to. */
  isBusy(id: string): boolean {
    const session = this.#live.get(id);
    return session !== undefined && !session.isFinished;
  }

  /** Its files are gone: nothing is known of it any more. */
  removed(id: SessionId): void {
    this.#live.delete(id);
    this.#again.delete(id);
  }

  /** How the session was launched; null when this daemon does not know. */
  launchOf(id: SessionId): LaunchRequest | null {
    return this.#again.get(id) ?? null;
  }

  /** SESSION_RUNNING while a program of the session lives. */
  async requireEnded(found: AnySession): Promise<void> {
    const id = idOf(found);
    const path = found.kind === 'live' ? found.session.facts.storePath : found.session.storePath;
    const runs = found.kind === 'live' && !found.session.isFinished;
    if (runs || (await livesOn(dirname(path)))) {
      throw new StrobeError(
        'SESSION_RUNNING',
        `A program of session ${id} still runs.`,
        `End it first: debug_session {"action":"stop","sessionId":"${id}"}.`,
      );
    }
  }

  #recorded(session: LiveSession): boolean {
    try {
      this.#past.record(session);
      return true;
    } catch {
      return false;
    }
  }

  /** Finished sessions are answered from the catalogue, but for the last used ones. */
  #letGo(): void {
    const finished = [...this.#live.values()].filter((session) => session.isFinished);
    finished.sort((a, b) => b.usedAtMs - a.usedAtMs);
    for (const session of finished.slice(KEPT_FINISHED)) {
      this.#live.delete(session.facts.id);
      this.#again.delete(session.facts.id);
    }
  }

  #used(session: LiveSession): AnySession {
    session.usedAtMs = monotonicMs();
    return { kind: 'live', session };
  }

  #byName(wanted: string): AnySession {
    const name = wanted.toLowerCase();
    const ids = this.ids();
    const exact = ids.find((id) => id.toLowerCase() === name);
    const found = exact === undefined ? fitting(ids, name) : [exact];
    const [id, ...others] = found;
    if (id === undefined) {
      const known = ids.slice(-5).join(', ');
      throw new StrobeError(
        'UNKNOWN_SESSION',
        `There is no session ${wanted}.${known ? ` Known: ${known}.` : ''}`,
      );
    }
    if (others.length > 0) {
      throw new StrobeError('AMBIGUOUS_SESSION', `${wanted} fits ${found.slice(0, 8).join(', ')}.`);
    }
    const live = this.#live.get(id);
    if (live) return this.#used(live);
    const past = this.#past.get(id);
    if (past) return { kind: 'past', session: past };
    throw new StrobeError('UNKNOWN_SESSION', `There is no session ${wanted}.`);
  }
}

/** Ids that begin so, else those that end so, or have the gap of a short id (`shop-…-k7f2`) filled. */
function fitting(ids: readonly string[], name: string): string[] {
  const [begin = '', end] = name.split('…');
  const filled = ids.filter((id) => {
    const lower = id.toLowerCase();
    return lower.startsWith(begin) && lower.endsWith(end ?? '');
  });
  if (filled.length > 0) return filled;
  return ids.filter((id) => id.toLowerCase().endsWith(`-${name}`));
}

async function endAsAsked(session: LiveSession, by: EndedBy): Promise<void> {
  if (session.isFinished) return;
  if (session.facts.onClientExit === 'stop') await session.stop(1000, by);
  else if (session.facts.onClientExit === 'detach' || by === 'daemonStop') await session.release();
  else if (session.facts.owner.kind === 'run') {
    session.ownerIsGone = true;
    session.note('The `strobe run` that started it has gone; the program runs on by itself.');
  }
}

function afterCursor(views: readonly SessionView[], cursor: string): number {
  const at = views.findIndex((view) => view.id === cursor);
  if (at < 0) throw new StrobeError('BAD_CURSOR', 'The cursor does not belong to this list.');
  return at + 1;
}
