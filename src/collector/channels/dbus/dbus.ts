import { monotonicNs } from '../../../base/clock.ts';
import { StrobeError } from '../../../model/errors.ts';
import { stageOf } from '../../ui/stage.ts';
import type { Channel, ChannelTarget } from '../channel.ts';
import { BusMonitor } from './busMonitor.ts';
import { busOrder } from './busOrder.ts';
import { busText } from './busText.ts';

/** Sessions whose messages are kept. */
const MOST_SESSIONS = 16;

/** What goes over the session bus of a program that was launched with a display of its own. */
export function dbus(): Channel {
  const monitors = new Map<string, BusMonitor>();
  const monitorOf = ({ view }: ChannelTarget): BusMonitor => {
    const monitor = monitors.get(view.id);
    if (monitor) return monitor;
    throw new StrobeError(
      'BAD_PARAMETER',
      'Channel dbus is not open.',
      'debug_channel {"action":"open","channel":"dbus"} records messages from then on.',
    );
  };
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
        const { values } = await monitorOf(target)
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
      async open({ view, directory }) {
        const stage = await stageOf(directory);
        if (stage === null)
          throw new StrobeError(
            'NO_STAGE',
            'This session was launched without a session bus of its own.',
            'Launch the program with debug_launch and "ui": true.',
          );
        if (monitors.has(view.id)) return;
        monitors.set(view.id, await BusMonitor.open(stage.bus));
        const [oldest] = monitors;
        if (monitors.size <= MOST_SESSIONS || oldest === undefined) return;
        oldest[1].close();
        monitors.delete(oldest[0]);
      },
      close(target) {
        monitorOf(target).close();
        monitors.delete(target.view.id);
      },
      events(target) {
        const { events, pids } = monitorOf(target);
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
      dropped: (target) => monitorOf(target).dropped,
    },
  };
}
