import { StrobeError } from '../../model/errors.ts';
import { addonTransport } from './addonHost.ts';
import type { Transport } from './fridaHost.ts';
import type { HostTransport } from './hostTransport.ts';
import { pythonTransport } from './pythonHost.ts';

/** In the order of `auto`: the proven one first. */
export const transports = [
  pythonTransport,
  addonTransport,
] as const satisfies readonly HostTransport[];

/** The transport a setting asks for. */
export function chooseTransport(setting: 'auto' | Transport): HostTransport {
  if (setting === 'auto') return transports[0];
  for (const transport of transports) if (transport.id === setting) return transport;
  throw new StrobeError('BAD_SETTING', `frida.transport ${setting} is not a transport.`);
}
