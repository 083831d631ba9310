import { listMember, member, textMember } from './messages.ts';

/** What a person wants to know of the daemon (protocol/socket `DaemonStatus`), a line each; `asker`: the client that asked. */
export function statusText(status: unknown, asker: string): string {
  const sessions = member(status, 'sessions');
  const lines: (readonly [string, string])[] = [
    [
      'daemon',
      `version ${textMember(status, 'version', '?')}, pid ${numberText(status, 'pid')}, up ${time(status, 'upMs')}`,
    ],
    ['home', textMember(status, 'home', '?')],
    ['socket', textMember(status, 'socket', '?')],
    ['log', `${textMember(status, 'log', '?')} (strobe daemon logs)`],
    [
      'sessions',
      `${numberText(sessions, 'running')} running, ${numberText(sessions, 'stored')} on disk, ${size(sessions, 'storedBytes')}`,
    ],
    ['clients', clientsText(listMember(status, 'clients'), asker)],
    [
      'memory',
      [`daemon ${size(status, 'memoryBytes')}`, ...childTexts(listMember(status, 'children'))].join(
        ', ',
      ),
    ],
    ['idle end', endText(status)],
    ...listMember(status, 'problems').map((problem) => ['setting', String(problem)] as const),
  ];
  return lines.map(([name, text]) => `${name.padEnd(10)}${text}\n`).join('');
}

function clientsText(clients: readonly unknown[], asker: string): string {
  const others = clients.filter(
    (one) => textMember(one, 'id') !== asker || Number(member(one, 'connections')) > 1,
  );
  if (others.length === 0) return 'none';
  return others
    .map((one) => `${textMember(one, 'id')} (${numberText(one, 'connections')} connected)`)
    .join(', ');
}

function childTexts(children: readonly unknown[]): string[] {
  return children.map(
    (one) => `${textMember(one, 'name', '?')} ${numberText(one, 'pid')}: ${size(one, 'bytes')}`,
  );
}

function endText(status: unknown): string {
  return typeof member(status, 'endsInMs') === 'number'
    ? `after ${time(status, 'endsInMs')} without client and session (setting daemon.idleMinutes)`
    : 'not while it is needed';
}

function numberText(value: unknown, key: string): string {
  const found = member(value, key);
  return typeof found === 'number' ? String(found) : '?';
}

function time(value: unknown, key: string): string {
  const found = member(value, key);
  if (typeof found !== 'number') return '?';
  const seconds = Math.round(found / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

function size(value: unknown, key: string): string {
  const found = member(value, key);
  return typeof found === 'number' ? `${(found / 1e6).toFixed(found < 1e7 ? 1 : 0)} MB` : '?';
}
