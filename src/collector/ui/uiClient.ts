import { Worker } from 'node:worker_threads';
import { AskedWorker } from '../../base/askedWorker.ts';
import { StrobeError } from '../../model/errors.ts';
import { answerIn, type Reply } from '../../model/failure.ts';
import type { StageAddress } from './stage.ts';
import type { UiAnswer, UiAsked, UiKind, WatchedStage } from './uiMessages.ts';

const LIMIT_MS = 20_000;

/**
 * Asks about what one program shows. A thread reads its display: what goes wrong there costs one answer, and the next
 * question gets a new thread.
 */
export class UiClient extends AskedWorker {
  /** `visionCommand`: the setting of this name. */
  constructor(workerPath: string, stage: StageAddress, visionCommand: readonly string[]) {
    const workerData: WatchedStage = { ...stage, visionCommand };
    super({
      start: () => new Worker(workerPath, { workerData, name: 'ui' }),
      readyMs: null,
      ended: (why) => new StrobeError('INTERNAL', `The user interface thread ended: ${why}`),
      closed: () => new StrobeError('CANCELLED', 'The session ends.'),
    });
  }

  async ask<K extends UiKind>(
    kind: K,
    asked: UiAsked<K>,
    signal?: AbortSignal,
  ): Promise<UiAnswer<K>> {
    return await this.request({
      message: { kind, asked },
      limitMs: LIMIT_MS,
      late: () =>
        new StrobeError(
          'TIMED_OUT',
          `The windows were not read in ${LIMIT_MS} ms: the machine or the program is busy.`,
          kind === 'act'
            ? 'The action may have been done: debug_ui {"action":"screenshot"} shows it, and asks the program nothing.'
            : 'Try again; debug_ui {"action":"screenshot"} asks the program nothing.',
        ),
      signal,
      read: (reply: Reply<UiAnswer<K>>) => ({ answer: answerIn(reply) }),
    });
  }
}
