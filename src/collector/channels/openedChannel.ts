import { StrobeError } from '../../model/errors.ts';
import type { StageAddress } from '../ui/stage.ts';
import { stageOf } from '../ui/stage.ts';
import type { ChannelTarget } from './channel.ts';

/** Sessions for which a channel is open at once; the oldest is closed for the next. */
const MOST_SESSIONS = 16;

/** What a channel holds for each session that it was opened for, on the stage of that session. */
export class OpenedChannel<Held extends { close(): void }> {
  readonly #name: string;
  readonly #records: string;
  readonly #open: (stage: StageAddress) => Promise<Held>;
  readonly #held = new Map<string, Held>();

  /** `records`: what it does once it is open. */
  constructor(name: string, records: string, open: (stage: StageAddress) => Promise<Held>) {
    this.#name = name;
    this.#records = records;
    this.#open = open;
  }

  has(sessionId: string): boolean {
    return this.#held.has(sessionId);
  }

  /** Throws BAD_PARAMETER where it is not open. */
  of({ view }: ChannelTarget): Held {
    const held = this.#held.get(view.id);
    if (held) return held;
    throw new StrobeError(
      'BAD_PARAMETER',
      `Channel ${this.#name} is not open.`,
      `debug_channel {"action":"open","channel":"${this.#name}"} ${this.#records}.`,
    );
  }

  /** Throws NO_STAGE for a session that was launched without a display of its own. */
  async open({ view, directory }: ChannelTarget, lacking: string): Promise<void> {
    const stage = await stageOf(directory);
    if (stage === null)
      throw new StrobeError(
        'NO_STAGE',
        `This session was launched without ${lacking} of its own.`,
        'Launch the program with debug_launch and "ui": true.',
      );
    if (this.#held.has(view.id)) return;
    this.#held.set(view.id, await this.#open(stage));
    const [oldest] = this.#held;
    if (this.#held.size <= MOST_SESSIONS || oldest === undefined) return;
    oldest[1].close();
    this.#held.delete(oldest[0]);
  }

  close(target: ChannelTarget): void {
    this.of(target).close();
    this.#held.delete(target.view.id);
  }
}
