import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { linesOf } from '../support/calls.ts';
import { startClient } from '../support/client.ts';
import { partOf } from '../support/parts.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch, runToEnd } from '../support/runs.ts';
import { testHome, withClient } from '../support/suite.ts';

const bytes = Buffer.alloc(10_000_000, 'the quick brown fox jumps over the lazy dog 0123456789\n');

describe('a lot of input and output', () => {
  const { home, client } = withClient();
  beforeAll(() => {
    writeFileSync(join(home.project, 'input'), bytes);
  });

  const sum = createHash('sha256').update(bytes).digest('hex');
  const firstLine = async (sessionId: string): Promise<string | undefined> =>
    (await linesOf(client, sessionId))[0]?.text;

  test('[stdin.given] 10 MB of a file, named from the working directory, arrive whole', async () => {
    const run = await runToEnd(client, home, 'sha256sum', {
      cwd: home.project,
      stdin: { file: 'input' },
    });
    expect(await firstLine(run.sessionId)).toBe(`${sum}  -`);
    const missing = await client.refused('debug_launch', {
      command: 'cat',
      projectRoot: home.project,
      stdin: { file: 'no such file' },
    });
    expect(missing.text).toMatch(/BAD_PARAMETER: stdin file \S+no such file cannot be read/);
  });

  test('[stdin.open] 10 MB written in pieces arrive whole and in order', async () => {
    const { sessionId } = await launch(client, home, 'sha256sum', { stdin: 'open' });
    for (let from = 0; from < bytes.length; from += 2_500_000) {
      const eof = from + 2_500_000 >= bytes.length;
      const base64 = bytes.subarray(from, from + 2_500_000).toString('base64');
      await client.ok('debug_session', { action: 'input', sessionId, base64, eof });
    }
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
    expect(await firstLine(sessionId)).toBe(`${sum}  -`);
  });

  test('[stdin.given] a program that does not read its input, or closes it, ends as it would', async () => {
    const text = bytes.subarray(0, 3_000_000).toString();
    for (const [script, code] of [
      ['exit 3', 3],
      ['exec <&-; exit 4', 4],
      ['read line; echo "$line"; exit 5', 5],
    ] as const) {
      const run = await runToEnd(client, home, 'sh', { args: ['-c', script], stdin: { text } });
      expect(run.exit).toEqual({ kind: 'exited', code });
    }
  });

  test('[stdin.open] input nobody reads is told, with what was taken, and holds nothing up', async () => {
    const { sessionId } = await launch(client, home, 'sleep', { args: ['300'], stdin: 'open' });
    const text = 'x'.repeat(1_000_000);
    const refused = await client.refused('debug_session', { action: 'input', sessionId, text });
    expect(refused.text).toMatch(
      /TIMED_OUT: The program reads its input too slowly: \d+ of 1000000/,
    );
    await client.ok('debug_session', { action: 'status', sessionId });
    await client.ok('debug_session', { action: 'stop', sessionId });
  });

  test('[output.bulk] 200 MB of output are kept whole, without the daemon growing by them', async () => {
    await runToEnd(client, home, 'seq', { args: ['100000'] }); // all that a session needs is loaded now
    const daemon = partOf(home, 'daemon');
    const before = highWater(daemon);
    const run = await launch(client, home, 'sh', {
      args: ['-c', 'yes "$(head -c 9999 /dev/zero | tr "\\0" x)" | head -n 20000; echo last'],
    });
    expect(await exitOf(client, run.sessionId)).toEqual({ kind: 'exited', code: 0 });
    const tail = await client.ok('debug_query', {
      view: 'output',
      sessionId: run.sessionId,
      tail: 1,
    });
    expect(numberAt(tail.structured, 'totalCount')).toBe(20_001);
    expect(listAt(tail.structured, 'lines')).toMatchObject([{ text: 'last' }]);
    expect(tail.text).not.toMatch(/LOST/);
    expect(highWater(daemon) - before).toBeLessThan(100_000);
  });

  test('[output.bulk] beyond the limit of a session the oldest output goes, and that is told', async () => {
    const small = testHome({ STROBE_OUTPUT_MAX_BYTES_PER_SESSION: '200000' });
    const other = await startClient(small);
    const run = await launch(other, small, 'sh', { args: ['-c', 'seq 100000; echo last'] });
    expect(await exitOf(other, run.sessionId)).toEqual({ kind: 'exited', code: 0 });
    const tail = await other.ok('debug_query', {
      view: 'output',
      sessionId: run.sessionId,
      tail: 1,
    });
    expect(listAt(tail.structured, 'lines')).toMatchObject([{ text: 'last' }]);
    expect(tail.text).toMatch(/OUTPUT LOST: the oldest 66,6\d\d lines, beyond the session's limit/);
    await other.close();
  });

  test('[output.bytes] what is not text is kept byte for byte', async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    writeFileSync(join(home.project, 'bytes'), Buffer.concat([all, all]));
    const run = await runToEnd(client, home, 'cat', { args: ['bytes'], cwd: home.project });
    const answer = await client.ok('debug_query', { view: 'output', sessionId: run.sessionId });
    const parts = listAt(answer.structured, 'lines').map((line) => {
      const raw = at(line, 'base64');
      return typeof raw === 'string'
        ? Buffer.from(raw, 'base64')
        : Buffer.from(textAt(line, 'text'));
    });
    const joined = Buffer.concat(
      parts.flatMap((part, i) => (i ? [Buffer.from('\n'), part] : [part])),
    );
    expect(joined).toEqual(Buffer.concat([all, all]));
    // A reader of the text gets no control character that could do something to a terminal.
    expect(answer.text.replaceAll('\n', '')).toMatch(/^[\P{Cc}\t]*$/u);
  });
});

/** kB, proc_pid_status(5). */
function highWater(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
