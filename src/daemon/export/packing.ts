import { constants, lstatSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { wallMs } from '../../base/clock.ts';
import { packBegins } from '../../db/pack.ts';
import { runPackTask } from '../../db/packTask.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SessionView } from '../../model/session.ts';
import type { PastSessions } from '../session/pastSessions.ts';
import type { AnySession } from '../session/sessions.ts';
import type { RequestContext } from '../request.ts';
import { readPackedFacts, type PackedFacts } from './packedFacts.ts';
import { writePlaces } from './writePlaces.ts';
import { beginningOf, WrittenFile } from './writtenFile.ts';

/** What packing and opening need of the daemon. */
export interface PackParts {
  /** The built packWorker. */
  readonly workerPath: string;
  readonly home: string;
  readonly sessionsDirectory: string;
  readonly version: string;
  readonly past: PastSessions;
}

/** A written pack. */
export interface Packed {
  readonly path: string;
  readonly bytes: number;
}

const EXTENSION = 'strobe';

/** Makes one file of a session, which another Strobe can open. Throws as WrittenFile and STORE_FAILED. */
export async function packSession(
  parts: PackParts,
  found: AnySession,
  wanted: { readonly path: string | undefined; readonly overwrite: boolean },
  { client, signal }: RequestContext,
): Promise<Packed> {
  const { owner: _owner, ...view } = found.session.view(client);
  const storePath = found.kind === 'live' ? found.session.facts.storePath : found.session.storePath;
  const row = parts.past.row(view.id);
  const facts: PackedFacts = {
    version: 1,
    strobe: parts.version,
    host: hostname(),
    packedAtMs: wallMs(),
    monotonicStartNs: String(row?.monotonicStartNs ?? 0n),
    view,
  };
  const isPerson = client.kind === 'cli';
  const places = writePlaces(parts.home, view.projectRoot, client);
  const usual = isPerson ? `${view.id}.${EXTENSION}` : undefined;
  const asked = wanted.path ?? usual;
  const file =
    asked === undefined
      ? WrittenFile.inFolder(dirname(storePath), view.id, EXTENSION)
      : WrittenFile.at(asked, places, wanted.overwrite ? packBegins : null);
  try {
    const task = { kind: 'pack', storePath, path: file.temporary } as const;
    await runPackTask(parts.workerPath, { ...task, facts: JSON.stringify(facts) }, signal);
    file.publish();
    return { path: file.path, bytes: statSync(file.path).size };
  } finally {
    file.discard();
  }
}

/** An opened pack: `wasHere` when this home has the session already. */
export interface Opened {
  readonly id: SessionView['id'];
  readonly wasHere: boolean;
}

/** Takes a packed session into this home; it is kept as a retained one. Nothing of it runs. */
export async function openPack(
  parts: PackParts,
  asked: string,
  { client, signal }: RequestContext,
): Promise<Opened> {
  const from = resolve(client.cwd, asked);
  if (!lstatSync(from, { throwIfNoEntry: false })?.isFile()) {
    throw new StrobeError('BAD_PARAMETER', `${from} is no file.`, 'Give the path of a pack.');
  }
  if (!packBegins.test(beginningRead(from))) {
    throw new StrobeError(
      'BAD_PARAMETER',
      `${from} cannot be opened: it is no packed session.`,
      'Give a file that debug_session {"action":"pack"} made.',
    );
  }
  const draft = mkdtempSync(join(parts.sessionsDirectory, 'opening-'));
  try {
    const store = join(draft, 'session.db');
    await copyFile(from, store, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    // The copy has the mode of the pack, which may be for reading alone.
    await chmod(store, 0o600);
    const task = { kind: 'open', path: store } as const;
    const json = await runPackTask(parts.workerPath, task, signal).catch((error: unknown) => {
      throw error instanceof StrobeError
        ? new StrobeError(error.code, error.message.replaceAll(store, from), error.hint)
        : error;
    });
    const facts = readPackedFacts(json);
    const { id } = facts.view;
    if (parts.past.row(id)) return { id, wasHere: true };
    const folder = join(parts.sessionsDirectory, id);
    renameSync(draft, folder);
    parts.past.takeIn({
      view: opened(facts),
      owner: client,
      storePath: join(folder, 'session.db'),
      monotonicStartNs: BigInt(facts.monotonicStartNs),
    });
    return { id, wasHere: false };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function beginningRead(path: string): string {
  try {
    return beginningOf(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StrobeError(
      'BAD_PARAMETER',
      `${path} cannot be read: ${why}.`,
      'Give the path of a pack that you may read.',
    );
  }
}

/** The session as it can be here: nothing of it runs on this machine. */
function opened({ view, host, packedAtMs }: PackedFacts): PackedFacts['view'] {
  const day = new Date(packedAtMs).toISOString().slice(0, 16);
  const note = `Opened from a pack made on ${host} at ${day}Z.`;
  const ran = view.state.kind === 'running' || view.state.kind === 'starting';
  return {
    ...view,
    ...(ran ? { state: { kind: 'released', at: view.now } } : {}),
    notes: [note, ...(ran ? ['It ran when it was packed.'] : []), ...view.notes],
  };
}
