import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startClient } from '../support/client.ts';
import { gdbPath, itNeeds } from '../support/needs.ts';
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

  test('[cli.whole] a reader that is slow gets all of an answer', async () => {
    await strobe(['run', '--', buildTarget('e2e/ends.c'), 'lines', '1']);
    const rows =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT i, replace(hex(zeroblob(80)), '0', 'word ') FROM n";
    const query = ['query', 'sql', rows, '--json', '--budget', '20000', '--limit', '500'];
    const ended = await runProgram({ env: home.env, cwd: home.project }, [
      'sh',
      '-c',
      '"$@" | { sleep 1; cat; }',
      'sh',
      process.execPath,
      clientProgram,
      ...query,
    ]);
    // More than a pipe holds.
    expect(ended.stdout.length).toBeGreaterThan(70_000);
    expect(listAt(JSON.parse(ended.stdout.toString()), 'rows').length).toBeGreaterThan(100);
  });

  test("[cli.run-report] with --out FILE stderr is the program's own", async () => {
    const report = join(home.project, 'report.txt');
    const ended = await strobe([
      'run',
      '--trace',
      'line',
      // Variadic: a note says that its ends are not seen.
      '--trace',
      'libc.so.6!printf',
      '--out',
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

  test('[cli.run-object] a pattern may be an object: its lines are recorded', async () => {
    const command = buildTarget('e2e/ends.c');
    const wanted = '{"pattern": "line", "lines": true}';
    const ended = await strobe(['run', '--trace', wanted, '--tree', '--', command, 'lines', '1']);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(/line\(number=1\)/);
    const { stdout } = await strobe(['query', 'tree', '--lines']);
    expect(stdout.toString()).toMatch(/^ {2}line\(.*\n\s+:\d+ printf/m);
    const wrong = await strobe(['run', '--trace', '{"pattern": ', '--', command, 'lines', '1']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/BAD_PARAMETER: --trace wants a pattern or JSON/);
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

  itNeeds('go', '[cli.run-hookless] of functions that are refused it says why', async () => {
    const command = buildTarget('hazards/recovers.go');
    const refused = 'runtime.findObject hooked nothing: refused: runtime.findObject: it belongs to';
    const alone = await strobe(['run', '--trace', 'runtime.findObject', '--', command]);
    expect(alone.stderr).toContain(refused);
    expect(alone.stderr).toContain(
      'No calls: runtime.findObject matched 1 function, none is hooked',
    );
    expect(alone.stderr).not.toContain('nearest names');
    const misspelt = await strobe(['run', '--trace', 'main.raed', '--', command]);
    expect(misspelt.stderr).toMatch(
      /main\.raed hooked nothing: matches no function; nearest names: main\.read/,
    );
    const wanted = ['--trace', 'runtime.findObject', '--trace', 'twice'];
    const beside = await strobe(['run', ...wanted, '--', command]);
    expect(beside.stderr).toContain(refused);
    expect(beside.stderr).toMatch(/^2,000 calls in /m);
  });

  test('[cli.run-once] a report without calls says once why', async () => {
    const ended = await strobe(['run', '--', buildTarget('e2e/ends.c'), 'lines', '1']);
    expect(ended.code).toBe(0);
    expect(ended.stderr.match(/^No calls/gm)).toHaveLength(1);
    expect(ended.stderr.match(/^ends-/gm)).toHaveLength(1);
  });

  test('[cli.run-views] one report: the crash story and the views asked for, header and next steps once', async () => {
    const crash = ['--', buildTarget('e2e/ends.c'), 'signal', '11'];
    for (const [flag, shown, hidden] of [
      ['--stats', /function$/m, /×n = n alike/],
      ['--tree', /×n = n alike/, /^calls +total/m],
    ] as const) {
      const ended = await strobe(['run', '-t', 'main', flag, ...crash]);
      expect(ended.code).toBe(139);
      expect(ended.stderr).toMatch(shown);
      expect(ended.stderr).not.toMatch(hidden);
      expect(ended.stderr.match(/^ends-/gm)).toHaveLength(1);
      expect(ended.stderr.match(/^next:/gm)).toHaveLength(1);
      expect(ended.stderr).not.toContain('strobe launch');
    }
  });

  test('[cli.run-live] with --follow each call is shown as it begins and ends, with -o into a file', async () => {
    const out = join(home.project, 'live.txt');
    const options = ['run', '--follow', '-t', 'line', '-o', out];
    const ended = await strobe([...options, '--', buildTarget('e2e/ends.c'), 'lines', '2']);
    expect(ended.stderr).toBe('err 1\nerr 2\n');
    const told = readFileSync(out, 'utf8');
    const begun = told.indexOf('→ line(number=1)');
    expect(begun).toBeGreaterThan(0);
    expect(told.indexOf('← line() = 1')).toBeGreaterThan(begun);
    expect(told.match(/→ line\(/g)).toHaveLength(2);
    expect(told).toMatch(/^ +2 .* line/m);
    const lost = await strobe(['run', '-o', '/dev/full', '--', 'true']);
    expect(lost.code).toBe(5);
    expect(lost.stderr).toContain('cannot be written: ENOSPC');
  });

  test('[cli.report] one page of a session, with calls, values, output and the story of a crash', async () => {
    const launch = ['launch', '--trace', 'line', '--wait-for', 'exit', '--'];
    await strobe([...launch, buildTarget('e2e/ends.c'), 'lines', '2']);
    const page = async (name: string): Promise<unknown> => {
      const made = await strobe(['report', '--out', name]);
      expect([made.code, made.stderr]).toEqual([0, '']);
      const html = readFileSync(join(home.project, name), 'utf8');
      expect(html).not.toMatch(/https?:/);
      return JSON.parse(/id="data">(.*?)<\/script>/s.exec(html)?.[1] ?? '');
    };
    const data = await page('lines.html');
    expect(at(data, 'totals', 'calls')).toBe(2);
    expect(listAt(data, 'names')).toContain('line');
    expect(JSON.stringify(at(data, 'examples'))).toContain('(number=1) = 1');
    expect(JSON.stringify(at(data, 'events'))).toContain('out 2');
    expect(textAt(at(data, 'about'), 'ending')).toBe('exited with code 0');
    await strobe([...launch, buildTarget('e2e/ends.c'), 'signal', '11']);
    expect(textAt(at(await page('crash.html'), 'about'), 'story')).toContain('CRASH');
  });

  test('[cli.doctor] Frida attaches to a real process, and a call of each runtime is seen', async () => {
    const findings = listAt(await json(['doctor']), 'findings');
    for (const what of ['native parts', 'attach', 'python tracer', 'node tracer']) {
      const found = findings.find((one) => at(one, 'what') === what);
      expect([what, at(found, 'state'), at(found, 'detail')]).toEqual([
        what,
        'ok',
        expect.any(String),
      ]);
    }
    const sessions = listAt(await json(['session', 'list']), 'sessions');
    expect(sessions.filter((one) => /sleep|strobeProbe/.test(JSON.stringify(one)))).toEqual([]);
  });

  test('[cli.top] functions of a running program with their calls a second, until it ends', async () => {
    const launched = await json(
      ['launch', '-t', 'clockwork::tick', '--', buildTarget('e2e/ticker.cpp')].map((word) =>
        word === '-t' ? '--trace' : word,
      ),
    );
    const sessionId = textAt(launched, 'sessionId');
    const top = await strobe(['top', '--rounds', '2', '--sort', 'calls']);
    expect([top.code, top.stderr]).toEqual([0, '']);
    expect(top.stdout.toString()).toMatch(
      /function, by calls\n.*\d+ +[\d.]+ % +\d+ +0 clockwork::tick/,
    );
    await strobe(['session', 'stop', sessionId]);
    const wrong = await strobe(['top', '--sort', 'erors']);
    expect(wrong.stderr).toContain('Next: strobe top --sort errors');
  });

  test('[cli.pager] at a terminal a long answer goes through the pager', async () => {
    const place = {
      env: { ...home.env, TERM: 'xterm', PAGER: 'sed s/^/paged:/' },
      cwd: home.project,
    };
    const line = `stty rows 5; "${process.execPath}" "${clientProgram}" query --help; "${process.execPath}" "${clientProgram}" query stats`;
    const ended = await runProgram(place, ['script', '-qec', line, join(home.project, 'paged')]);
    expect(ended.stdout.toString()).toMatch(/^paged:/m);
  });

  test('[cli.completion] a shell gets the ids of sessions and the functions they called', async () => {
    const ids = await strobe(['complete', 'query', 'tree', '']);
    expect(ids.stdout.toString()).toMatch(/^ends-/m);
    await strobe(['run', '-t', 'line', '--', buildTarget('e2e/ends.c'), 'lines', '1']);
    const functions = await strobe(['complete', 'query', 'tree', '--root', 'li']);
    expect(functions.stdout.toString()).toBe('line\n');
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
      const env = { ...home.env, TERM: 'xterm', PAGER: 'cat', ...more };
      const place = { env, cwd: home.project };
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

describe('debuggers of others', () => {
  const home = withHome();

  itNeeds(
    'gdbAdapter',
    '[cli.doctor] each that is found holds a program and lets it go; of others the cure is said',
    async () => {
      const env = {
        ...home.env,
        STROBE_ADAPTERS_GDB: gdbPath,
        STROBE_ADAPTERS_LLDB: '/none/lldb-dap',
      };
      const settings = { 'adapters.named': [`mine=${gdbPath} -nx -q --interpreter=dap`] };
      writeFileSync(join(home.path, 'settings.json'), JSON.stringify(settings));
      const ended = await runStrobe({ env, cwd: home.project }, ['doctor', '--json']);
      expect(ended.stderr).toBe('');
      const findings = listAt(JSON.parse(ended.stdout.toString()), 'findings');
      const found = (what: string): unknown => findings.find((one) => at(one, 'what') === what);
      expect(found('gdb')).toEqual({
        what: 'gdb',
        state: 'ok',
        detail: 'held a program and let it go again',
      });
      expect(found('mine')).toMatchObject({ state: 'ok', detail: at(found('gdb'), 'detail') });
      expect(textAt(found('lldb'), 'detail')).toMatch(/^not found: lldb-dap 20 or newer is needed/);
    },
  );
});
