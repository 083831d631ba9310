import { StrobeError } from '../../../model/errors.ts';
import type { Channel } from '../channel.ts';
import { onTimeline, type ClockedEvent } from '../clockedEvent.ts';
import { OpenedChannel } from '../openedChannel.ts';
import { stageState } from '../stageState.ts';
import { BusMonitor } from './busMonitor.ts';
import { busOrder } from './busOrder.ts';
import { busText } from './busText.ts';

/** What goes over the session bus of a program that was launched with a display of its own. */
export function dbus(): Channel {
  const monitors = new OpenedChannel('dbus', 'records messages from then on', async ({ bus }) =>
    BusMonitor.open(bus),
  );
  return {
    name: 'dbus',
    state(view) {
      if (monitors.has(view.id))
        return {
          kind: 'open',
          text: 'messages on its session bus are recorded; send calls a method',
        };
      return stageState(
        view,
        'open records calls, replies and signals on its session bus; send calls a method',
      );
    },
    input: {
      takesAddress: false,
      async send({ bytes }, target) {
        const call = busOrder(Buffer.from(bytes).toString());
        const { values } = await monitors
          .of(target)
          .ask(call)
          .catch((error: unknown) => {
            if (error instanceof StrobeError) throw error;
            const why = error instanceof Error ? error.message : String(error);
            throw new StrobeError('BAD_PARAMETER', `The call was refused: ${why}.`);
          });
        return { text: `sent as a call of ${call.member}`, reply: Buffer.from(busText(values)) };
      },
    },
    output: {
      kind: 'kept',
      open: async (target) => monitors.open(target, 'a session bus'),
      close: (target) => monitors.close(target),
      events(target) {
        const { events, pids } = monitors.of(target);
        const { pid } = target.view;
        const clocked = events.all.map(({ atNs, sender, text }): ClockedEvent => {
          const from = pids.get(sender) ?? 0;
          if (from !== 0 && from === pid) return { atNs, direction: 'out', text };
          const whose = from === 0 ? sender : `pid ${from}`;
          return { atNs, direction: 'in', text: `${whose} ${text}` };
        });
        return Promise.resolve(onTimeline(clocked, target.view));
      },
      dropped: (target) => monitors.of(target).events.dropped,
    },
  };
}
