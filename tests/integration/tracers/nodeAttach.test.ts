import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { linkOf } from '../../../src/base/proc.ts';
import { callsOf, type SeenCall } from '../../support/calls.ts';
import { nodes } from '../../support/nodes.ts';
import { OwnDaemon } from '../../support/ownDaemon.ts';
import { textAt } from '../../support/read.ts';
import { targetSource } from '../../support/targets.ts';

const script = targetSource('node/attached.mjs');

/** A program that runs, and answers a line with a line. */
class Talker {
  readonly program: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  errors = '';

  constructor(path: string) {
    this.program = spawn(path, [script]);
    this.#lines = createInterface({ input: this.program.stdout })[Symbol.asyncIterator]();
    this.program.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
    });
    onTestFinished(() => void this.program.kill());
  }

  async say(line: string): Promise<string> {
    this.program.stdin.write(`${line}\n`);
    const answer = await this.#lines.next();
    return answer.done === true ? '' : answer.value;
  }

  get pid(): number {
    return this.program.pid ?? 0;
  }

  /** Whether it has any socket of TCP: its inspector's would be one. */
  isListening(): boolean {
    const inodes = readFileSync(`/proc/${this.pid}/net/tcp`, 'utf8')
      .split('\n')
      .flatMap((line) => line.trim().split(/\s+/)[9] ?? []);
    return readdirSync(`/proc/${this.pid}/fd`).some((fd) =>
      inodes.includes(/\d+/.exec(linkOf(this.pid, `fd/${fd}`) ?? '')?.[0] ?? ''),
    );
  }
}

const stock: unknown = expect.anything();

const shown = (calls: readonly SeenCall[]): unknown[] =>
  calls.map(({ function: name, end, arguments: given }) => [name, end, given]);

async function attach(
  daemon: OwnDaemon,
  pid: number,
): Promise<{ readonly sessionId: string; readonly text: string }> {
  const projectRoot = dirname(script);
  const asked = { pid, projectRoot, patterns: ['@usercode'] };
  const { structured, text } = await daemon.ok('debug_launch', asked);
  return { sessionId: textAt(structured, 'sessionId'), text };
}

/** Versions differ in how they are entered: all are tried with STROBE_ALL_NODES. */
const tried = nodes.filter(({ major }) => major === 24 || nodes.length > 2);

describe.each(tried.map(({ major, path }) => [major, path] as const))('Node %i', (_major, path) => {
  test('[node.attach] enters a process that runs: what it loaded before, and whole what it loads later, again after it was left', async () => {
    const daemon = await OwnDaemon.start([]);
    onTestFinished(async () => daemon.close());
    const talker = new Talker(path);
    const facts = await talker.say('facts');

    for (const left of [98, 95]) {
      const { sessionId, text } = await attach(daemon, talker.pid);
      expect(text).toContain('Modules that load from now on show everything');
      expect(text).toContain('Calls in worker threads that ran before are not seen.');
      expect(await talker.say('order 2')).toBe(`{"name":"bolt","left":${left}}`);
      expect(await talker.say('half 7')).toBe('3.5');
      expect(await talker.say('fail 1')).toBe('no nut');
      expect(await talker.say('later 4')).toBe('8');
      expect(await talker.say('deliver 1')).toBe(String(left));
      expect(await talker.say('order 1')).toBe(`{"name":"bolt","left":${left - 1}}`);
      const calls = await callsOf(daemon, sessionId);
      expect(shown(calls)).toEqual([
        ['attached.order', 'returned', { name: 'bolt', count: 2 }],
        ['attachedStock.Stock.take', 'returned', { this: stock, name: 'bolt', count: 2 }],
        ['attachedStock.Stock.count', 'returned', { this: stock, name: 'bolt' }],
        ['attached.half', 'returned', { count: 7 }],
        ['attached.orderSafely', 'returned', { name: 'nut', count: 1 }],
        ['attached.order', 'unwound', { name: 'nut', count: 1 }],
        ['attachedStock.Stock.take', 'unwound', { this: stock, name: 'nut', count: 1 }],
        ['attachedStock.Stock.count', 'returned', { this: stock, name: 'nut' }],
        ['attached.later', 'returned', { count: 4 }],
        ['attachedLater.twice', 'returned', { count: 4 }],
        ['attached.deliver', 'returned', { name: 'bolt' }],
        ['attachedStock.Stock.count', 'returned', { this: stock, name: 'bolt' }],
        ['attached.order', 'returned', { name: 'bolt', count: 1 }],
        ['attachedStock.Stock.take', 'returned', { this: stock, name: 'bolt', count: 1 }],
        ['attachedStock.Stock.count', 'returned', { this: stock, name: 'bolt' }],
      ]);
      const [order, take, count] = calls;
      expect([take?.parent, count?.parent]).toEqual([order?.id, take?.id]);
      // A plain name that is returned, and a module that was loaded later.
      expect(count?.returns).toBe(left + 2);
      expect(calls[9]?.returns).toBe(8);
      await daemon.ok('debug_session', { action: 'detach', sessionId });
      expect(talker.isListening()).toBe(false);
    }
    expect(await talker.say('facts')).toBe(facts);
    const ended = once(talker.program, 'exit');
    talker.program.stdin.write('end\n');
    expect(await ended).toEqual([3, null]);
    expect(talker.errors).toBe('');
  });

  test('[node.attach] records of running functions what is asked for: conditions, and watches of variables', async () => {
    const daemon = await OwnDaemon.start([]);
    onTestFinished(async () => daemon.close());
    const talker = new Talker(path);
    await talker.say('half 1');
    const { structured } = await daemon.ok('debug_launch', {
      pid: talker.pid,
      projectRoot: dirname(script),
      patterns: [{ pattern: 'attached.order', when: 'count == 3' }],
    });
    const sessionId = textAt(structured, 'sessionId');
    const watches = { add: [{ expr: 'stock.bolts', on: 'attached.order' }] };
    await daemon.ok('debug_trace', { sessionId, watches });
    for (const count of [3, 2, 3]) await talker.say(`order ${count}`);
    const calls = await callsOf(daemon, sessionId);
    expect(calls.map((call) => call.arguments['count'])).toEqual([3, 3]);
    const { text } = await daemon.ok('debug_query', { sessionId, view: 'changes' });
    expect(text).toContain('100 → 97');
  });

  test('[node.attach-often] leaves a function alone that is called too often to be seen by breakpoints, and says so', async () => {
    const daemon = await OwnDaemon.start([]);
    onTestFinished(async () => daemon.close());
    const talker = new Talker(path);
    await talker.say('half 1');
    const { sessionId } = await attach(daemon, talker.pid);
    expect(await talker.say('often 5000')).toBe('6248750');
    const calls = await callsOf(daemon, sessionId, { limit: 500, budget: 50_000 });
    expect(calls.length).toBeGreaterThan(100);
    expect(calls.every(({ end, parent }) => end === 'returned' && parent === null)).toBe(true);
    // How often it is called depends on what else the machine does.
    const verdict = async (): Promise<string> => {
      await talker.say('often 5000');
      return (await daemon.ok('debug_trace', { sessionId })).text;
    };
    await expect.poll(verdict).toContain('half: it was left as it is: it is called so often');
  });
});
