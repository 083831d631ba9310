import { StrobeError } from '../../model/errors.ts';

/** The path of OTLP over HTTP when none is given. */
const TRACES = '/v1/traces';

/** A collector on this machine; throws BAD_PARAMETER for any other. */
export function collectorAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || url.protocol !== 'http:' || url.username !== '' || url.password !== '') {
    throw refused(`"${text}" is no http:// address.`);
  }
  // The URL parser has made dotted decimals of every spelling of an IPv4 address.
  const isLoopback = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(url.hostname);
  if (!isLoopback) throw refused(`${url.hostname} is not this machine: Strobe uses no network.`);
  if (url.pathname === '/') url.pathname = TRACES;
  return url.href;
}

function refused(message: string): StrobeError {
  return new StrobeError('BAD_PARAMETER', message, 'Give for example http://127.0.0.1:4318.');
}
