import type { InstallPaths } from '../../base/installPaths.ts';
import { pagePipesOf } from '../../collector/ui/page/chromium.ts';
import { UiClient } from '../../collector/ui/uiClient.ts';
import { Stage, stageOf } from '../../collector/ui/stage.ts';
import { StrobeError } from '../../model/errors.ts';
import type { UiAnswer, UiAsked, UiKind } from '../../collector/ui/uiMessages.ts';
import type { LiveSession } from '../session/liveSession.ts';
import { sessionEnded } from '../session/sessionFacts.ts';

/** What is answered when a display ends, and what it showed. */
const ended: ReadonlySet<string> = new Set(['NO_STAGE', 'NO_WINDOW']);
const ENDS_MS = 2000;

interface Seeing {
  readonly showsPages: boolean;
  readonly client: Promise<UiClient>;
}

/** Displays of sessions, and what is asked about their windows: a thread for each that was launched with one. */
export class Displays {
  readonly #paths: Pick<InstallPaths, 'stage' | 'uiWorker'>;
  readonly #visionCommand: readonly string[];
  readonly #clients = new Map<string, Seeing>();

  /** `visionCommand`: the setting of this name. */
  constructor(paths: Pick<InstallPaths, 'stage' | 'uiWorker'>, visionCommand: readonly string[]) {
    this.#paths = paths;
    this.#visionCommand = visionCommand;
  }

  /** Starts a display for a session whose program does not run yet. `path`: where its programs are looked for. */
  async start(session: LiveSession, path: string): Promise<Stage> {
    return await Stage.start(this.#paths.stage, session.facts.directory, path);
  }

  /** Begins to look at what its program shows. */
  warm(session: LiveSession): void {
    this.#clientOf(session).catch(() => undefined); // Said when something is asked.
  }

  /** Throws NO_STAGE for a session that was launched without a display, SESSION_ENDED where its program ended meanwhile. */
  async ask<K extends UiKind>(
    session: LiveSession,
    kind: K,
    asked: UiAsked<K>,
    signal?: AbortSignal,
  ): Promise<UiAnswer<K>> {
    const client = await this.#clientOf(session);
    try {
      return await client.ask(kind, asked, signal);
    } catch (error) {
      if (!(error instanceof StrobeError) || !ended.has(error.code)) throw error;
      // The display ends before the end of its program is known.
      if (error.code === 'NO_STAGE') await session.changes.until(() => !session.isLive, ENDS_MS);
      throw session.isLive ? error : sessionEnded(session);
    }
  }

  async #clientOf({ facts }: LiveSession): Promise<UiClient> {
    // A browser that the program starts later is read from then on.
    const showsPages = pagePipesOf(facts.directory) !== null;
    const known = this.#clients.get(facts.id);
    if (known?.showsPages === showsPages) return await known.client;
    void known?.client.then(async (one) => one.close()).catch(() => undefined);
    const client = this.#open(facts.directory);
    this.#clients.set(facts.id, { showsPages, client });
    client.catch(() => this.#clients.delete(facts.id));
    return await client;
  }

  async #open(directory: string): Promise<UiClient> {
    const address = await stageOf(directory);
    if (address === null)
      throw new StrobeError(
        'NO_STAGE',
        'This session was launched without a display of its own.',
        'Launch the program with debug_launch and "ui": true.',
      );
    const client = new UiClient(this.#paths.uiWorker, address, this.#visionCommand);
    client.warm();
    return client;
  }

  /** Its thread ends with the session, and says before what came of an action that ended that. */
  changed(session: LiveSession): void {
    if (session.isLive) return;
    const { id } = session.facts;
    const known = this.#clients.get(id);
    this.#clients.delete(id);
    void known?.client.then(async (one) => one.finish()).catch(() => undefined);
  }

  async close(): Promise<void> {
    const clients = await Promise.allSettled(
      [...this.#clients.values()].map(async ({ client }) => client),
    );
    this.#clients.clear();
    await Promise.all(
      clients.map(async (one) => (one.status === 'fulfilled' ? one.value.close() : undefined)),
    );
  }
}
