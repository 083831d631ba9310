import { expect, test } from 'vitest';
import { PostgresConnection } from '../../../src/db/reader/channels/postgresConnection.ts';

function opening(version: number, text = ''): Buffer {
  const out = Buffer.alloc(8 + text.length);
  out.writeInt32BE(out.length, 0);
  out.writeInt32BE(version, 4);
  out.write(text, 8, 'latin1');
  return out;
}

function message(type: string, body = ''): Buffer {
  const out = Buffer.alloc(5 + Buffer.byteLength(body));
  out.write(type, 0, 'latin1');
  out.writeInt32BE(out.length - 1, 1);
  out.write(body, 5);
  return out;
}

const startup = opening(196_608, 'user\0ann\0database\0shop\0\0');

/** What each part is read as; "→" and "←" as the client sees it. A pair holds a part and how many bytes it had. */
function read(parts: readonly (readonly ['→' | '←', Buffer, number?])[]): string[] {
  const connection = new PostgresConnection();
  return parts.map(([way, known, bytes]) =>
    connection.take(way === '→', known, bytes ?? known.length).join(', '),
  );
}

test('[channel.postgres] names messages of both sides, also after a question for encryption, and repeated ones once', () => {
  expect(PostgresConnection.begins(opening(80_877_103))).toBe(true);
  expect(PostgresConnection.begins(startup)).toBe(true);
  for (const other of ['GET / HTTP/1.1\r\n', '\x16\x03\x01\0\x05hello', '', 'Q\0\0\0\x08abc\0'])
    expect(PostgresConnection.begins(Buffer.from(other, 'latin1'))).toBe(false);
  expect(
    read([
      ['→', opening(80_877_103)],
      ['←', Buffer.from('N')],
      ['→', startup],
      ['←', Buffer.concat([message('R'), message('S', 'a\0b\0'), message('S'), message('Z', 'I')])],
      ['→', message('Q', 'select 1\0')],
      ['←', Buffer.concat([message('T'), message('D'), message('D'), message('C', 'SELECT 2\0')])],
      ['→', Buffer.concat([message('P', 'name\0select $1\0'), message('B'), message('S')])],
      ['←', message('E', 'SERROR\0C42P01\0Mno table\0\0')],
      ['→', message('X')],
    ]),
  ).toEqual([
    'SSLRequest',
    'encryption refused',
    'Startup user=ann database=shop',
    'Authentication, ParameterStatus ×2, ReadyForQuery',
    'Query "select 1"',
    'RowDescription, DataRow ×2, CommandComplete "SELECT 2"',
    'Parse "select $1", Bind, Sync',
    'ErrorResponse "ERROR 42P01 no table"',
    'Terminate',
  ]);
});

test('[channel.postgres] passwords are left out; a message may take several parts; what was not captured is counted, and the next part is read again', () => {
  const row = message('D', 'x'.repeat(500));
  expect(
    read([
      ['→', startup],
      ['→', message('p', 'hunter2\0')],
      ['→', message('Q', "alter user ann password 'hunter2'\0")],
      ['←', row.subarray(0, 100), 100],
      ['←', row.subarray(100, 150), row.length - 100],
      ['←', row.subarray(0, 256), row.length + 30],
      ['←', Buffer.concat([message('C', 'SELECT 1\0'), message('Z', 'I')])],
      ['←', Buffer.from('?????????')],
    ]),
  ).toEqual([
    'Startup user=ann database=shop',
    'Password',
    'Query "alter user ann password \'…\'"',
    'DataRow',
    '',
    'DataRow, 30 bytes that are not read',
    'CommandComplete "SELECT 1", ReadyForQuery',
    '9 bytes that are not read',
  ]);
});
