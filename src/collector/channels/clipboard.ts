import { StageClipboard, type ClipboardEvent } from '../ui/stageClipboard.ts';
import { carriedText } from './carriedText.ts';
import type { Channel } from './channel.ts';
import { onTimeline, type ClockedEvent } from './clockedEvent.ts';
import { OpenedChannel } from './openedChannel.ts';
import { stageState } from './stageState.ts';

/** What a program that was launched with a display of its own copies and pastes. */
export function clipboard(): Channel {
  const clipboards = new OpenedChannel('clipboard', 'records changes from then on', async (stage) =>
    StageClipboard.open(stage),
  );
  return {
    name: 'clipboard',
    state(view) {
      if (clipboards.has(view.id))
        return { kind: 'open', text: 'each change of the clipboard is recorded; send sets it' };
      return stageState(
        view,
        'open reads what is copied on its display, as a clipboard manager does; send sets it',
      );
    },
    input: {
      takesAddress: false,
      async send({ bytes }, target) {
        await clipboards.of(target).set(Buffer.from(bytes));
        return { text: 'put on the clipboard', reply: null };
      },
    },
    output: {
      kind: 'kept',
      open: async (target) => clipboards.open(target, 'a display'),
      close: (target) => clipboards.close(target),
      events(target) {
        const { events } = clipboards.of(target);
        const own = [0, target.view.pid];
        const clocked = events.all.map((event): ClockedEvent => ({
          atNs: event.atNs,
          direction: event.what === 'set' ? 'out' : 'in',
          text: `${own.includes(event.pid) ? '' : `pid ${event.pid} `}${textOf(event)}`,
        }));
        return Promise.resolve(onTimeline(clocked, target.view));
      },
      dropped: (target) => clipboards.of(target).events.dropped,
    },
  };
}

function textOf({ what, copied }: ClipboardEvent): string {
  const verb = { set: 'copied', put: 'put there:', read: 'pasted' }[what];
  if (copied.kind === 'emptied') return 'emptied: its owner gave it up or ended';
  if (copied.kind === 'other') return `${verb} something: ${copied.why}`;
  return `${verb} ${carriedText(copied.bytes)}${copied.isWhole ? '' : ' and more'}`;
}
