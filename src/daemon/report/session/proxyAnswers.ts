import { escaped } from '../../../base/visible.ts';
import type { Device } from '../../../collector/channels/channel.ts';
import type { FaultProxy } from '../../../collector/channels/proxy/faultProxy.ts';
import { proxyText } from '../../../collector/channels/proxy/proxies.ts';
import type { ToolAnswer } from '../answers/answer.ts';
import { richest } from '../answers/budget.ts';
import { chosen, nextLines, nextTexts, type NextStep } from '../answers/nextSteps.ts';

/** Answer of debug_channel about a port that passes on to a server. */
export function renderProxy(
  action: 'open' | 'close' | 'send',
  proxy: FaultProxy,
  budget: number,
): ToolAnswer {
  const { address, to } = proxy;
  const lines = {
    open: [`${address} passes on to ${to}: give the program ${address} in place of it.`],
    close: [`Closed: ${proxyText(proxy)}.`],
    send: [`${proxyText(proxy)}.`],
  }[action];
  const steps: NextStep[] = action === 'open' ? [faultStep(to)] : [];
  return richest(budget, [1], (_level, room) => {
    const next = chosen(steps, room);
    return {
      text: [...lines.map((line) => escaped(line)), ...nextLines(next)].join('\n'),
      structured: {
        action,
        sessionId: null,
        channel: 'net',
        ...(action === 'open' ? { address, hooked: 0, notes: [] } : {}),
        ...(action === 'send' ? { bytes: 0, reply: null } : {}),
        nextSteps: nextTexts(next),
      },
    };
  });
}

/** Answer of debug_channel about what programs open by an address. */
export function renderDevice(
  action: 'open' | 'close',
  about: { readonly channel: string; readonly what: string; readonly device: Device },
  budget: number,
): ToolAnswer {
  const { channel, what, device } = about;
  const { address, text, environment } = device;
  const isOpened = action === 'open';
  const given =
    environment === undefined
      ? `give the program this path. What goes through it is channel ${channel}; channel file shows the calls that used it.`
      : `launch the program with the "env" below. What goes through it is channel ${channel}.`;
  const line = isOpened ? `The ${what} ${address} is there: ${given}` : `Closed: ${text}.`;
  const env = environment === undefined ? {} : { env: environment };
  const sent = { action: 'send', channel, to: address, text: 'PING' };
  const step: NextStep =
    environment === undefined
      ? { tool: 'debug_channel', arguments: sent, why: 'the program reads it' }
      : {
          tool: 'debug_launch',
          arguments: { command: 'PROGRAM', env: environment },
          why: `it uses the ${what}`,
        };
  const steps: NextStep[] = isOpened ? [step] : [];
  return richest(budget, [1], (_level, room) => {
    const next = chosen(steps, room);
    return {
      text: [escaped(line), ...nextLines(next)].join('\n'),
      structured: {
        action,
        sessionId: null,
        channel,
        ...(isOpened ? { address, hooked: 0, notes: [], ...env } : {}),
        nextSteps: nextTexts(next),
      },
    };
  });
}

function faultStep(to: string): NextStep {
  const asked = { action: 'send', channel: 'net', to, fault: '3 delay 2000' };
  return { tool: 'debug_channel', arguments: asked, why: 'the third answer comes 2 s late' };
}
