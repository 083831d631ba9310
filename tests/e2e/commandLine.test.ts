import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startClient } from '../support/client.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { clientProgram, runProgram, runStrobe, type Ended } from '../support/strobe.ts';
import { withHome } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('the command line', () => {
  const home = withHome();

  const strobe = async (args: readonly string[], input = ''): Promise<Ended> =>
    await runStrobe({ env: home.env, cwd: home.project }, args, input);

  async function json(args: readonly string[]): Promise<unknown> {
    const rest = args.indexOf('--');
    const ended = await strobe(args.toSpliced(rest < 0 ? args.length : rest, 0, '--json'));
    if (ended.code !== 0)
      throw new Error(
        `strobe ${args.join(' ')}: ${ended.code}\n${ended.stdout.toString()}${ended.stderr}`,
      );
    return JSON.parse(ended.stdout.toString());
  }

  test('[cli.run] passes stdin, stdout, stderr and the exit status through; the report is on stderr', async () => {
    const reader = buildTarget('e2e/reader.c');
    const ended = await strobe(['run', '--trace', 'answer', '--', reader], 'äh\nhm\n');
    expect(ended.stdout.toString()).toBe('got [äh]\ngot [hm]\nend of input after 5 characters\n');
    expect(ended.code).toBe(5);
    expect(ended.stderr).toMatch(/answer\(line="äh"/);
  });

  test('[cli.errors] an answer that cannot be written is a failure that is told', async () => {
    const ended = await runProgram({ env: home.env, cwd: home.project }, [
      'sh',
      '-c',
      `"${process.execPath}" "${clientProgram}" version > /dev/full`,
    ]);
    expect(ended.code).toBe(5);
    expect(ended.stderr).toContain('standard output cannot be written: ENOSPC');
  });

  test("[cli.run-report] with --report FILE stderr is the program's own", async () => {
    const report = join(home.project, 'report.txt');
    const ended = await strobe([
      'run',
      '--trace',
      'line',
      // Variadic: a note says that its ends are not seen.
      '--trace',
      'libc.so.6!printf',
      '--report',
      report,
      '--',
      buildTarget('e2e/ends.c'),
      'lines',
      '2',
    ]);
    expect(ended.stdout.toString()).toBe('out 1\nout 2\n');
    expect(ended.stderr).toBe('err 1\nerr 2\n');
    expect(ended.code).toBe(0);
    const told = readFileSync(report, 'utf8');
    expect(told).toMatch(/line\(number=1(\.\.2)?\)/);
    expect(told).toContain('ends are not seen');
  });

  test('[cli.run-hookless] a pattern that hooked nothing is told with the reason, beside one that hooked', async () => {
    const command = buildTarget('e2e/ends.c');
    const wanted = ['--trace', 'lin', '--trace', 'line', '--trace', 'libnone.so!f'];
    const ended = await strobe(['run', ...wanted, '--', command, 'lines', '1']);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(/line\(number=1\)/);
    expect(ended.stderr).toMatch(/^lin hooked nothing: matches no function; nearest names: /m);
    expect(ended.stderr).toMatch(
      /^libnone\.so!f hooked nothing: NOTHING_MATCHED: No loaded library is named libnone\.so\.$/m,
    );
    expect(ended.stderr).not.toMatch(/^line hooked nothing/m);
  });

  itNeeds('go', '[cli.run-hookless] of functions of Go it says why they are left out', async () => {
    const command = buildTarget('hazards/recovers.go');
    const reason = "1 matching function of Go is left out: Go's runtime moves stacks";
    const alone = await strobe(['run', '--trace', 'main.read', '--', command]);
    expect(alone.stderr).toContain(`main.read hooked nothing: ${reason}`);
    expect(alone.stderr).toContain('No calls: main.read matched 1 function, none is hooked');
    expect(alone.stderr).not.toContain('nearest names');
    const wanted = ['--trace', 'main.read', '--trace', 'twice'];
    const beside = await strobe(['run', ...wanted, '--', command]);
    expect(beside.stderr).toContain(`main.read hooked nothing: ${reason}`);
    expect(beside.stderr).toMatch(/^2,000 calls in /m);
  });

  test('[cli.run-once] a report without calls says once why', async () => {
    const ended = await strobe(['run', '--', buildTarget('e2e/ends.c'), 'lines', '1']);
    expect(ended.code).toBe(0);
    expect(ended.stderr.match(/^No calls/gm)).toHaveLength(1);
    expect(ended.stderr.match(/^ends-/gm)).toHaveLength(1);
  });

  test('[cli.run-after] the next command is about what it recorded', async () => {
    const command = buildTarget('e2e/ends.c');
    for (const count of ['1', '2']) {
      const ended = await strobe(['run', '--trace', 'line', '--', command, 'lines', count]);
      expect(ended.code).toBe(0);
      const stats = await json(['query', '--view', 'stats']);
      const [line] = listAt(stats, 'rows');
      expect(at(line, 'count')).toBe(Number(count));
    }
    const output = await strobe(['query', '--view', 'output']);
    expect(output.stdout.toString()).toMatch(/No output is recorded.*`strobe launch` records it/);
    const all = await json(['session', 'list']);
    expect(listAt(all, 'sessions').map((row) => at(row, 'mine'))).toContain(true);
  });

  test('[cli.run-signal] a program that a signal ended gives 128 + its number, as a shell does', async () => {
    const ended = await strobe(['run', '--', buildTarget('e2e/ends.c'), 'signal', '11']);
    expect(ended.code).toBe(139);
    expect(ended.stdout.toString()).toBe('about to die\n');
  });

  test('[cli.run-missing] a program that does not exist', async () => {
    const ended = await strobe(['run', '--', '/no/such/program']);
    expect(ended.code).toBe(127);
    expect(ended.stderr).toContain('PROGRAM_NOT_FOUND');
  });

  test('[cli.equal] [cli.next] commands give what the tools give, and next steps that work', async () => {
    const ticker = buildTarget('e2e/ticker.cpp');
    const launched = await json(['launch', '--trace', 'clockwork::tick', '--', ticker]);
    const sessionId = textAt(launched, 'sessionId');
    const waited = await json(['session', 'wait', '--for', 'output', '--match', 'round 2']);
    expect(at(waited, 'happened')).toBe('output');
    const added = await json(['trace', 'add', 'clockwork::tock']);
    const patterns = listAt(added, 'activePatterns').map((row) => textAt(row, 'pattern'));
    expect(patterns.toSorted()).toEqual(['clockwork::tick', 'clockwork::tock']);
    const stopped = await json(['session', 'stop', '--session-id', sessionId]);
    expect(at(stopped, 'exit')).toEqual({ kind: 'exited', code: 0 });

    const client = await startClient(home);
    const filter = { function: { equals: 'clockwork::tick' }, limit: 7 };
    const byTool = await client.ok('debug_query', { view: 'events', sessionId, ...filter });
    const byCommand = await json([
      'query',
      '--view',
      'events',
      '--session-id',
      sessionId,
      '--function.equals',
      'clockwork::tick',
      '--limit',
      '7',
    ]);
    expect(at(byCommand, 'events')).toEqual(at(byTool.structured, 'events'));
    expect(at(byCommand, 'counters')).toEqual(at(byTool.structured, 'counters'));
    const text = await strobe(['query', '--view', 'stats', '--session-id', sessionId]);
    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    const [answer, next = ''] = text.stdout.toString().split('\nnext:\n');
    const [wanted, calls] = stats.text.split('\nnext:\n');
    expect(withoutAge(answer ?? '')).toBe(withoutAge(wanted ?? ''));
    expect(calls).toMatch(/^ {2}debug_query \{/);
    const words = /^ {2}strobe (.*?) {2}— /.exec(next)?.[1]?.split(' ') ?? [];
    expect((await strobe(words)).code).toBe(0);
  });

  test('[cli.second] [cli.colour] [cli.words] a second terminal sees what the first ran, in colours', async () => {
    const terminal = async (line: string, more = {}): Promise<string> => {
      const typescript = join(home.project, 'typescript');
      const place = { env: { ...home.env, TERM: 'xterm', ...more }, cwd: home.project };
      const command = `"${process.execPath}" "${clientProgram}" ${line}`;
      const ended = await runProgram(place, ['script', '-qec', command, typescript]);
      expect(ended.stdout.toString()).not.toMatch(/debug_[a-z]/);
      return ended.stdout.toString();
    };
    await terminal(`run --trace line -- ${buildTarget('e2e/ends.c')} lines 2`);
    const tree = await terminal('query tree');
    expect(tree).toMatch(/line\(number=1/);
    expect(tree).toContain('\x1b[');
    const list = await terminal('session list', { NO_COLOR: '1' });
    expect(list).toMatch(/ends lines 2 .* owned by a `strobe run`/);
    expect(list).not.toContain('\x1b[3');
  });

  test('[cli.errors] an unknown flag or command names the nearest and fails', async () => {
    const flag = await strobe(['query', '--veiw', 'tree']);
    expect(flag.code).not.toBe(0);
    expect(flag.stderr).toMatch(/--view/);
    const command = await strobe(['qurey']);
    expect(command.code).not.toBe(0);
    expect(command.stderr).toMatch(/query/);
  });

  test('[cli.daemon] the daemon tells its state, and stops', async () => {
    const status = await strobe(['daemon', 'status']);
    expect(status.code).toBe(0);
    expect(status.stdout.toString()).toMatch(/running|pid/);
    const stopped = await strobe(['daemon', 'stop']);
    expect(stopped.code).toBe(0);
  });
});

/** Ages differ between two answers that are otherwise the same. */
function withoutAge(text: string): string {
  return text.replace(/\b\d+(\.\d+)? ?(ms|s|min|h)\b( ago)?/g, '(time)').trim();
}
