import { dirname } from 'node:path';
import { wallMs } from '../../base/clock.ts';
import type { Catalog, CatalogSession } from '../../db/catalog.ts';
import { sessionId, type SessionId } from '../../model/ids.ts';
import type { SessionView } from '../../model/session.ts';
import type { Log } from '../log.ts';
import type { Client } from '../tools/handler.ts';
import { removeRings } from './instrument.ts';
import { letKeeperEnd } from './leftOver.ts';
import type { LiveSession } from './liveSession.ts';

/** What the catalogue keeps of a session beside its own columns: the view, but for who asks. */
type KeptView = Omit<SessionView, 'owner'> & { readonly ownerKind: Client['kind'] };

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

  /** Sessions that the catalogue still calls running belong to a daemon that died: that is noted. */
  constructor(catalog: Catalog, log: Log) {
    this.#catalog = catalog;
    this.#log = log;
    for (const row of catalog.list()) if (row.endedWallMs === null) this.#noteAbandoned(row);
  }

  /** Writes down how a session is now. */
  record(session: LiveSession): void {
    const { facts } = session;
    const { owner, ...view } = session.view(facts.owner);
    const kept: KeptView = { ...view, ownerKind: owner.kind };
    const [command = '', ...args] = facts.command;
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
      endedWallMs: session.isLive ? null : wallMs(),
      retain: this.#catalog.get(facts.id)?.retain ?? false,
      path: facts.storePath,
      monotonicStartNs: facts.startNs,
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
    const row = this.#catalog.list().find((session) => session.owner === clientId);
    return row ? pastSession(row) : null;
  }

  ids(): string[] {
    return this.#catalog.list().map((row) => row.id);
  }

  views(client: Client): SessionView[] {
    return this.#catalog.list().map((row) => pastSession(row).view(client));
  }

  #noteAbandoned(row: CatalogSession): void {
    const kept = keptView(row);
    const note =
      'Its daemon ended unexpectedly; the program was left to itself and is no longer observed.';
    const state: KeptView = {
      ...kept,
      state: { kind: 'released', at: kept.now },
      notes: [...kept.notes, note],
    };
    this.#catalog.update(row.id, { state, endedWallMs: wallMs() });
    removeRings(row.id);
    void letKeeperEnd(dirname(row.path));
    this.#log.warn('session', 'found a session of a daemon that died', { session: row.id });
  }
}

function pastSession(row: CatalogSession): PastSession {
  return {
    id: row.id,
    storePath: row.path,
    view(client) {
      const { ownerKind, ...view } = keptView(row);
      const owner = { clientId: row.owner, kind: ownerKind, mine: row.owner === client.id };
      return { ...view, now: Math.max(view.now, (wallMs() - view.startedAtMs) * 1e6), owner };
    },
  };
}

/** Written by `record` alone, in this file, and only the version that runs reads it. */
function keptView(row: CatalogSession): KeptView {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- written by the same version
  return row.state as KeptView;
}
