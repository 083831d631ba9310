import { monotonicNs } from '../../../base/clock.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { Channel } from '../channel.ts';
import { OpenedChannel } from '../openedChannel.ts';
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
    state: ({ id }) =>
      monitors.has(id)
        ? { kind: 'open', text: 'messages on its session bus are recorded; send calls a method' }
        : {
            kind: 'available',
            text: 'the private session bus of a program that was launched with "ui": true',
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
        const { now, pid } = target.view;
        const beganNs = Number(monotonicNs()) - now;
        return Promise.resolve(
          events.map(({ atNs, sender, text }) => {
            const from = pids.get(sender) ?? 0;
            const whose = from === 0 ? sender : `pid ${from}`;
            const isOwn = from !== 0 && from === pid;
            return {
              time: atNs - beganNs,
              direction: isOwn ? ('out' as const) : ('in' as const),
              text: isOwn ? text : `${whose} ${text}`,
            };
          }),
        );
      },
      dropped: (target) => monitors.of(target).dropped,
    },
  };
}
