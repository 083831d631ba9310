import type { StoppedThread } from '../../../model/debug/stop.ts';
import { excerptOf } from '../../source/sourceExcerpt.ts';

/** A strand that an adapter holds, as all of its program; its registers are not read. */
export function heldThread(
  told: Pick<StoppedThread, 'pid' | 'tid' | 'name' | 'cause' | 'frames'>,
): StoppedThread {
  return { ...told, problem: null, source: excerptOf(told.frames), registers: [], holdsAll: true };
}
