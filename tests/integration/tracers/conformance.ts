import { execFileSync, spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TracerCapabilities } from '../../../src/collector/tracer.ts';
import type { Runtime } from '../../../src/daemon/tracing/runtimeList.ts';
import { callsOf, expectReconciled, linesOf, type SeenCall } from '../../support/calls.ts';
import { OwnDaemon } from '../../support/ownDaemon.ts';
import { at, listAt, numberAt, textAt } from '../../support/read.ts';

/** A runtime, and a program of it that carries out the commands of tests/targets/tracers/conform.cpp. */
export interface Subject {
  /** Absent: one of Strobe's own. */
  readonly runtime?: Runtime;
  readonly capabilities: TracerCapabilities;
  program(): { readonly command: string; readonly args: readonly string[] };
  /** What stands before the names of its functions, and a point; absent: nothing does. */
  readonly module?: string;
  /** The folder that holds the program's source. */
  readonly projectRoot: string;
  /** It carries out conditions at returns, limits and watches; else the short list of a toy. */
  readonly isWhole: boolean;
  /** What must be as it was when a process is left again. */
  fingerprint(pid: number): string;
}

/** A case of those runtimes that can do it; for others there is nothing to skip. */
function itWhere(can: boolean, title: string, run: () => Promise<void>): void {
  if (can) it(title, run);
}

/** What every tracer must hold to. */
export function tracerConformance(subject: Subject): void {
  let daemon: OwnDaemon;

  beforeAll(async () => {
    daemon = await OwnDaemon.start(subject.runtime ? [subject.runtime] : []);
  });
  afterAll(async () => daemon.close());

  /** Runs commands to the end of the program. */
  async function run(
    commands: readonly string[],
    patterns: readonly (string | object)[],
    watches: readonly object[] = [],
  ): Promise<{ readonly sessionId: string; readonly session: unknown }> {
    if (watches.length > 0) {
      const { projectRoot } = subject;
      await daemon.ok('debug_trace', { pending: true, projectRoot, watches: { add: watches } });
    }
    const sessionId = await launch(patterns, { text: `${commands.join('\n')}\n` });
    await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 40_000 });
    const status = await daemon.ok('debug_session', { action: 'status', sessionId });
    return { sessionId, session: status.structured };
  }

  async function launch(
    patterns: readonly (string | object)[],
    stdin: 'open' | { readonly text: string },
  ): Promise<string> {
    const { command, args } = subject.program();
    const { projectRoot } = subject;
    const launched = await daemon.ok('debug_launch', {
      command,
      args,
      projectRoot,
      patterns,
      stdin,
    });
    return textAt(launched.structured, 'sessionId');
  }

  /** One command to a running program, answered by a line of output. */
  async function say(sessionId: string, text: string, match: string): Promise<void> {
    await daemon.ok('debug_session', { action: 'input', sessionId, text: `${text}\n` });
    const waited = { action: 'wait', sessionId, for: ['output'], match, timeoutMs: 20_000 };
    await daemon.ok('debug_session', waited);
  }

  /** Names without the program's module. */
  const calls = async (sessionId: string, query = {}): Promise<SeenCall[]> =>
    (await callsOf(daemon, sessionId, query)).map((call) => ({
      ...call,
      function: bare(call.function),
    }));

  function bare(name: string): string {
    const prefix = `${subject.module ?? ''}.`;
    return name.startsWith(prefix) ? name.slice(prefix.length) : name;
  }

  it('launches, and records arguments and results from the first call on', async () => {
    const { sessionId, session } = await run(['add 2 3', 'add -1 1', 'exit 7'], ['add']);
    const seen = await calls(sessionId);
    expect(seen.map(({ function: name }) => name)).toEqual(['add', 'add']);
    expect(seen.map((call) => Object.values(call.arguments))).toEqual([
      [2, 3],
      [-1, 1],
    ]);
    if (subject.capabilities.returns) expect(seen.map((call) => call.returns)).toEqual([5, 0]);
    expect(numberAt(session, 'session', 'exit', 'code')).toBe(7);
  });

  it('leaves output and exit status as they are without it', async () => {
    const commands = ['add 2 3', 'outer 4', 'fail boom', 'threads 2', 'hostile', 'child'];
    const { command, args } = subject.program();
    const input = `${commands.join('\n')}\n`;
    const plain = execFileSync(command, args, { input, encoding: 'utf8' });
    const { sessionId, session } = await run(commands, ['@usercode']);
    const lines = await linesOf(daemon, sessionId);
    expect(lines.map(({ text }) => text)).toEqual(plain.trimEnd().split('\n'));
    expect(numberAt(session, 'session', 'exit', 'code')).toBe(0);
  });

  it('tells which call called which, also of recursive ones', async () => {
    const { sessionId } = await run(['outer 4', 'depth 3'], ['outer', 'inner', 'depth']);
    const seen = await calls(sessionId);
    const outer = seen.find((call) => call.function === 'outer');
    const inner = seen.filter((call) => call.function === 'inner');
    expect(inner.map((call) => call.parent)).toEqual([outer?.id, outer?.id]);
    const depths = seen.filter((call) => call.function === 'depth');
    expect(depths).toHaveLength(4);
    expect(depths.map((call) => call.parent)).toEqual([
      null,
      ...depths.slice(0, 3).map((call) => call.id),
    ]);
  });

  it('tells a call that an exception ends from one that returns', async () => {
    const { sessionId } = await run(['fail boom', 'add 1 1'], ['fails', 'add']);
    const ends = new Map((await calls(sessionId)).map((call) => [call.function, call.end]));
    expect(ends.get('add')).toBe('returned');
    if (subject.capabilities.exceptions !== 'none') expect(ends.get('fails')).toBe('unwound');
  });

  it('keeps the calls of threads apart', async () => {
    const { sessionId } = await run(['threads 3'], ['work']);
    const answer = await daemon.ok('debug_query', {
      view: 'events',
      sessionId,
      eventType: ['call'],
      verbose: true,
    });
    const events = listAt(answer.structured, 'events');
    expect(new Set(events.map((event) => numberAt(event, 'threadId'))).size).toBe(3);
    const returned = events.map((event) => numberAt(event, 'returnValue'));
    expect(returned.toSorted((a, b) => a - b)).toEqual([100, 101, 102]);
  });

  it('enters the programs that the program starts', async () => {
    const { sessionId } = await run(['add 1 1', 'child'], ['add']);
    const seen = await calls(sessionId);
    expect(seen.map((call) => Object.values(call.arguments))).toEqual([
      [1, 1],
      [20, 22],
    ]);
    expect(new Set(seen.map(({ pid }) => pid)).size).toBe(2);
  });

  it('records calls that meet a condition, and counts the others', async () => {
    const { sessionId } = await run(
      ['add 1 2', 'add 20 2', 'add 3 4'],
      [{ pattern: 'add', when: 'a > 10' }],
    );
    const seen = await calls(sessionId);
    expect(seen.map((call) => Object.values(call.arguments))).toEqual([[20, 2]]);
    expect(await countOf(sessionId, 'add')).toBe(3);
  });

  itWhere(
    subject.isWhole,
    'leaves calls out by firstN, maxDepth, minDurationNs and whenReturn, and counts all',
    async () => {
      const { sessionId } = await run(
        ['add 1 1', 'add 2 2', 'add 3 3', 'outer 1', 'outer 4', 'depth 4', 'nap 0', 'nap 400'],
        [
          { pattern: 'add', firstN: 2 },
          { pattern: 'inner', whenReturn: 'return > 4 && n < 5' },
          { pattern: 'depth', maxDepth: 2 },
          { pattern: 'nap', minDurationNs: 300_000_000 },
        ],
      );
      const seen = await calls(sessionId);
      const returned = (name: string): unknown[] =>
        seen.filter((call) => call.function === name).map((call) => call.returns);
      expect(returned('add')).toEqual([2, 4]);
      expect(returned('inner')).toEqual([8]);
      expect(returned('depth')).toEqual([4, 3]);
      expect(returned('nap')).toEqual([400]);
      const counts = ['add', 'inner', 'depth', 'nap'].map((name) => countOf(sessionId, name));
      expect(await Promise.all(counts)).toEqual([3, 4, 5, 2]);
      const filtered = await calls(sessionId, { where: 'return == 8 && n == 4' });
      expect(filtered.map((call) => call.function)).toEqual(['inner']);
    },
  );

  itWhere(
    subject.isWhole,
    'starts and stops the recording at calls that meet a condition',
    async () => {
      const { sessionId } = await run(
        ['bump 1', 'outer 1', 'bump 2', 'outer 2', 'add 9 9', 'outer 3'],
        [
          { pattern: 'bump', trigger: 'start', when: 'n == 2' },
          { pattern: 'add', trigger: 'stop' },
          'inner',
        ],
      );
      const seen = await calls(sessionId);
      const names = seen.map(({ function: name }) => name);
      expect(names).toEqual(['bump', 'inner', 'inner', 'add']);
    },
  );

  itWhere(
    subject.isWhole,
    'watches variables and members, and tells who changed them',
    async () => {
      const { sessionId } = await run(
        ['bump 3', 'add 1 1', 'bump 4'],
        ['bump', 'add'],
        [{ expr: 'total' }, { expr: 'gauge.reading', on: 'bump' }, { expr: 'return', on: 'add' }],
      );
      const { structured } = await daemon.ok('debug_query', { view: 'changes', sessionId });
      const changes = listAt(structured, 'changes').map((change) =>
        ['watch', 'old', 'new'].map((field) => at(change, field)),
      );
      expect(changes).toEqual([
        ['total', 0, 3],
        ['gauge.reading', 0, 6],
        ['total', 3, 7],
        ['gauge.reading', 6, 14],
      ]);
      const sampled = await daemon.ok('debug_query', {
        view: 'events',
        sessionId,
        eventType: ['variable_snapshot'],
      });
      expect(sampled.text).toMatch(/return = 2/);
    },
  );

  itWhere(subject.isWhole, 'tells that the variable of a watch is nowhere', async () => {
    const sessionId = await launch(['add'], 'open');
    await say(sessionId, 'add 1 1', '2');
    const watches = { add: [{ expr: 'totle' }] };
    const { text } = await daemon.ok('debug_trace', { sessionId, watches });
    expect(text).toMatch(/watch totle PENDING: .*totle/);
    await daemon.ok('debug_session', { action: 'stop', sessionId });
  });

  it('records a share of the calls when asked, and counts all', async () => {
    const { sessionId, session } = await run(['many 1000'], [{ pattern: 'tick', sampling: 0.1 }]);
    expect(await calls(sessionId)).toHaveLength(100);
    expect(await countOf(sessionId, 'tick')).toBe(1000);
    expectReconciled(at(session, 'counters'));
  });

  it('counts what it cannot record', async () => {
    const { sessionId, session } = await run(
      ['many 200000'],
      [{ pattern: 'tick', sampling: 'off' }],
    );
    expectReconciled(at(session, 'counters'));
    expect(numberAt(session, 'counters', 'seen')).toBe(400_000);
    expect(await countOf(sessionId, 'tick')).toBe(200_000);
  });

  it('adds and removes functions while the program runs', async () => {
    const sessionId = await launch([], 'open');
    await say(sessionId, 'add 1 1', '2');
    await daemon.ok('debug_trace', { sessionId, add: ['add'] });
    await say(sessionId, 'add 2 2', '4');
    await daemon.ok('debug_trace', { sessionId, remove: ['add'], add: ['inner'] });
    await say(sessionId, 'add 3 3', '6');
    await say(sessionId, 'outer 1', '6');
    await daemon.ok('debug_session', { action: 'input', sessionId, eof: true });
    await daemon.ok('debug_session', { action: 'wait', sessionId });
    const seen = await calls(sessionId);
    expect(seen.map(({ function: name }) => name)).toEqual(['add', 'inner', 'inner']);
  });

  it('shows hostile values as values, and does not read through wild pointers', async () => {
    const { sessionId, session } = await run(['hostile', 'add 1 1'], ['text', 'blind', 'add']);
    const seen = await calls(sessionId);
    expect(seen.map(({ function: name }) => name)).toEqual([
      'text',
      'text',
      'text',
      'blind',
      'add',
    ]);
    expect(JSON.stringify(seen[0]?.arguments)).toContain('[31m');
    expect(JSON.stringify(seen).length).toBeLessThan(20_000);
    expect(numberAt(session, 'session', 'exit', 'code')).toBe(0);
  });

  itWhere(
    subject.capabilities.late !== 'none',
    'enters a running process, and leaves it as it was',
    async () => {
      const { command, args } = subject.program();
      const program = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      const answers: string[] = [];
      program.stdout.setEncoding('utf8').on('data', (text: string) => void answers.push(text));
      const ended = new Promise((resolve) => program.on('exit', resolve));
      const ask = async (line: string, answer: string): Promise<void> => {
        program.stdin.write(`${line}\n`);
        await expect.poll(() => answers.join('').endsWith(`${answer}\n`)).toBe(true);
      };
      await ask('add 1 1', '2');
      const pid = program.pid ?? 0;
      const before = subject.fingerprint(pid);
      const attached = await daemon.ok('debug_launch', { pid, patterns: ['add'] });
      const sessionId = textAt(attached.structured, 'sessionId');
      expect(subject.fingerprint(pid)).not.toBe(before);
      await ask('add 5 6', '11');
      const waited = { action: 'wait', sessionId, for: ['event'], match: 'add' };
      await daemon.ok('debug_session', { ...waited, timeoutMs: 10_000 });
      await daemon.ok('debug_session', { action: 'detach', sessionId });
      expect(subject.fingerprint(pid)).toBe(before);
      await ask('add 7 8', '15');
      program.stdin.end('exit 3\n');
      expect(await ended).toBe(3);
      const seen = await calls(sessionId);
      expect(seen.map((call) => Object.values(call.arguments))).toEqual([[5, 6]]);
    },
  );

  async function countOf(sessionId: string, name: string): Promise<number> {
    const { structured } = await daemon.ok('debug_query', { view: 'stats', sessionId });
    const row = listAt(structured, 'rows').find((one) => bare(textAt(one, 'function')) === name);
    return numberAt(row, 'count');
  }
}
