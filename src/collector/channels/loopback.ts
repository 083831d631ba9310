import { isIPv6, type NetConnectOpts } from 'node:net';
import { StrobeError } from '../../model/errors.ts';

/** An address of this machine, as it is connected to. Throws BAD_PARAMETER for any other. */
export function loopbackAddress(to: string | null): NetConnectOpts {
  if (to === null)
    throw new StrobeError(
      'BAD_PARAMETER',
      'Channel net sends to an address, and none is given.',
      'Give "to": "127.0.0.1:8080" (or [::1]:8080, localhost:8080, unix:/path).',
    );
  if (to.startsWith('unix:')) return { path: to.slice('unix:'.length) };
  const [, name = '', digits = ''] = /^\[?([^\]]*?)\]?:(\d{1,5})$/.exec(to) ?? [];
  const port = Number(digits);
  const host = name === 'localhost' || name === '' ? '127.0.0.1' : name;
  const isLoopback = /^127(?:\.\d{1,3}){3}$/.test(host) || (isIPv6(host) && host === '::1');
  if (port < 1 || port > 65_535 || !isLoopback)
    throw new StrobeError(
      'BAD_PARAMETER',
      `"${to}" is no address of this machine.`,
      'Give "127.0.0.1:8080", "[::1]:8080", "localhost:8080" or "unix:/path"; Strobe reaches no other machine.',
    );
  return { host, port };
}
