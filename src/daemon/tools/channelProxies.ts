import { monotonicMs } from '../../base/clock.ts';
import type { Channel, Device, Devices } from '../../collector/channels/channel.ts';
import type { ChannelList } from '../../collector/channels/channels.ts';
import type { FaultProxy } from '../../collector/channels/proxy/faultProxy.ts';
import { doneText, type Proxies } from '../../collector/channels/proxy/proxies.ts';
import { StrobeError } from '../../model/errors.ts';
import type { SessionView } from '../../model/session.ts';
import type { DebugChannelInput } from '../../protocol/tools/debugChannel.ts';
import { renderDevice, renderProxy } from '../report/session/proxyAnswers.ts';
import { stamp } from '../report/text/timeText.ts';
import type { ToolHandler } from '../request.ts';

type Request<Action extends DebugChannelInput['action']> = Extract<
  DebugChannelInput,
  { action: Action }
>;

/**
 * Answers what is about a port that passes on to a server, and about devices. They need no session: a program is launched
 * with their address.
 */
export function withProxies(
  channels: ChannelList,
  budget: number,
  answer: ToolHandler<DebugChannelInput>,
): ToolHandler<DebugChannelInput> {
  return async (input, context) => {
    switch (input.action) {
      case 'open':
      case 'close': {
        const { name, devices } = channels.called(input.channel);
        if (devices) {
          const device = await changedDevice(devices, name, input);
          return renderDevice(input.action, { channel: name, what: devices.what, device }, budget);
        }
        if (input.to === undefined) break;
        return renderProxy(input.action, await changed(channels, input, input.to), budget);
      }
      case 'send':
        if (input.fault === undefined) break;
        return renderProxy('send', faulty(channels, input, input.fault), budget);
      case 'list':
      case 'query':
      case 'run':
      case 'record':
        break;
    }
    return await answer(input, context);
  };
}

async function changedDevice(
  devices: Devices,
  channel: string,
  { action, to }: Request<'open' | 'close'>,
): Promise<Device> {
  if (action === 'close') return devices.close(to ?? null);
  if (to === undefined) return await devices.open();
  throw new StrobeError(
    'BAD_PARAMETER',
    `Channel ${channel} is opened without an address: the answer says the path.`,
    'Leave it out.',
  );
}

async function changed(
  channels: ChannelList,
  { action, channel }: Request<'open' | 'close'>,
  to: string,
): Promise<FaultProxy> {
  const proxies = proxiesOf(channels.called(channel), 'takes no address');
  return action === 'open' ? await proxies.open(to) : proxies.close(to);
}

function faulty(channels: ChannelList, asked: Request<'send'>, fault: string): FaultProxy {
  const proxies = proxiesOf(channels.called(asked.channel), 'has no faults');
  if (asked.text !== undefined || asked.base64 !== undefined)
    throw new StrobeError('BAD_PARAMETER', 'Give fault, or text or base64, not both.');
  return proxies.fault(asked.to ?? null, fault);
}

/** What ports did to answers while the session ran. */
export function faultNotes({ proxies }: Channel, { now }: SessionView): string[] {
  if (!proxies) return [];
  return proxies.all.flatMap(({ to, done }) =>
    done.flatMap((one) => {
      const time = now - Math.round((monotonicMs() - one.atMs) * 1e6);
      return time < 0 ? [] : [`answer ${one.answer} of ${to} at ${stamp(time)}: ${doneText(one)}`];
    }),
  );
}

function proxiesOf({ name, proxies }: Channel, lacks: string): Proxies {
  if (proxies) return proxies;
  throw new StrobeError(
    'BAD_PARAMETER',
    `Channel ${name} ${lacks}.`,
    'Only channel net has servers behind ports of Strobe.',
  );
}
