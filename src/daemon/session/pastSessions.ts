import { isOwnOf } from '../../base/clientId.ts';
import { wallMs } from '../../base/clock.ts';
import type { Catalog, CatalogSession } from '../../db/catalog.ts';
import { StrobeError } from '../../model/errors.ts';
import { sessionId, type SessionId } from '../../model/ids.ts';
import type { SessionView } from '../../model/session.ts';
import type { Log } from '../log.ts';
import type { Client } from '../request.ts';
import { removeRings } from '../../collector/rings/ringFolder.ts';
import type { LiveSession } from './liveSession.ts';
import { knownTo } from './sessionView.ts';
import type { Heritage } from './sessionFacts.ts';

/** What the catalogue keeps of a session beside its own columns: the view, but for who asks. */
type KeptView = Omit<SessionView, 'owner'> & {
  readonly ownerKind: Client['kind'];
  /** Null when the session is finished. */
  readonly heritage: Heritage | null;
};

/** A session that a daemon left unfinished when it died. */
export interface LeftSession {
  readonly row: CatalogSession;
  readonly view: Omit<SessionView, 'owner'>;
  readonly ownerKind: Client['kind'];
  readonly heritage: Heritage;
}

/** A session that no longer runs under this daemon; its store can still be asked. */
export interface PastSession {
  readonly id: SessionId;
  readonly storePath: string;
  view(client: Client): SessionView;
}

/** The sessions on disk, also those of a daemon that died. */
export class PastSessions {
  readonly #catalog: Catalog;
  readonly #log: Log;

  constructor(catalog: Catalog, log: Log) {
    this.#catalog = catalog;
    this.#log = log;
  }

  /** Writes down how a session is now; STORE_FAILED when that cannot be. */
  record(session: LiveSession): void {
    const { facts } = session;
    const { owner, known: _known, ...view } = session.view(facts.owner);
    const heritage = session.isFinished ? null : session.heritage;
    const kept: KeptView = { ...view, ownerKind: owner.kind, heritage };
    const [command = '', ...args] = facts.command;
    const known = this.#catalog.get(facts.id);
    try {
      this.#catalog.put({
        id: facts.id,
        owner: facts.owner.id,
        command,
        args,
        cwd: facts.cwd,
        projectRoot: facts.projectRoot,
        pid: session.pid,
        state: kept,
        startedWallMs: facts.startedAtMs,
        endedWallMs: session.isLive ? null : (known?.endedWallMs ?? wallMs()),
        retain: known?.retain ?? false,
        path: facts.storePath,
        monotonicStartNs: facts.startNs,
      });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new StrobeError('STORE_FAILED', `The list of sessions cannot be written: ${why}.`);
    }
  }

  /** A session of another home, that ended there; it is kept as a retained one that ends now. */
  takeIn(session: {
    readonly view: Omit<SessionView, 'owner'>;
    readonly owner: Client;
    readonly storePath: string;
    readonly monotonicStartNs: bigint;
  }): void {
    const { view, owner, storePath, monotonicStartNs } = session;
    const [command = '', ...args] = view.command;
    this.#catalog.put({
      id: view.id,
      owner: owner.id,
      command,
      args,
      cwd: view.cwd,
      projectRoot: view.projectRoot,
      pid: null,
      state: { ...view, ownerKind: owner.kind, heritage: null } satisfies KeptView,
      startedWallMs: view.startedAtMs,
      endedWallMs: wallMs(),
      retain: true,
      path: storePath,
      monotonicStartNs,
    });
  }

  /** Sessions that a daemon before this one left unfinished. */
  unfinished(): LeftSession[] {
    return this.#catalog.list().flatMap((row) => {
      const { ownerKind, heritage, ...view } = keptView(row);
      return heritage ? [{ row, view, ownerKind, heritage }] : [];
    });
  }

  /** A session that cannot be gone on with: `why` is part of a sentence. */
  giveUp({ row }: LeftSession, why: string): void {
    const kept = keptView(row);
    const state = {
      kind: 'failed',
      code: 'SUPERVISOR_LOST',
      message: `The session could not be resumed: ${why}.`,
      hint: 'What was captured until then can be queried.',
      at: kept.now,
    } as const;
    this.#catalog.update(row.id, {
      state: { ...kept, state, heritage: null } satisfies KeptView,
      endedWallMs: wallMs(),
    });
    removeRings(row.id);
    this.#log.warn('session', 'could not resume a session of a daemon that died', {
      session: row.id,
      why,
    });
  }

  forget(id: SessionId): void {
    this.#catalog.delete(id);
  }

  /** Null when there is no such session. */
  retain(id: SessionId): CatalogSession | null {
    this.#catalog.update(id, { retain: true });
    return this.#catalog.get(id);
  }

  row(id: SessionId): CatalogSession | null {
    return this.#catalog.get(id);
  }

  get(id: string): PastSession | null {
    const row = this.#catalog.get(sessionId(id));
    return row ? pastSession(row) : null;
  }

  latestOf(clientId: string): PastSession | null {
    const row = this.#catalog.list().find(({ owner }) => isOwnOf(clientId, owner));
    return row ? pastSession(row) : null;
  }

  latest(): SessionId | null {
    return this.#catalog.list()[0]?.id ?? null;
  }

  ids(): string[] {
    return this.#catalog.list().map((row) => row.id);
  }

  views(client: Client): SessionView[] {
    return this.#catalog.list().map((row) => pastSession(row).view(client));
  }
}

function pastSession(row: CatalogSession): PastSession {
  return {
    id: row.id,
    storePath: row.path,
    view(client) {
      const { ownerKind, heritage: _heritage, ...view } = keptView(row);
      const owner = { clientId: row.owner, kind: ownerKind, mine: isOwnOf(client.id, row.owner) };
      return {
        ...view,
        now: Math.max(view.now, (wallMs() - view.startedAtMs) * 1e6),
        owner,
        ...knownTo(client, row.id),
      };
    },
  };
}

/** Written by `record` alone, in this file, and only the version that runs reads it. */
function keptView(row: CatalogSession): KeptView {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- written by the same version
  return row.state as KeptView;
}
