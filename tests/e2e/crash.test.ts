import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { countTokens } from '../support/tokens.ts';
import { goldens } from '../golden.ts';
import { symbolsOf } from '../support/engineProgram.ts';
import { startClient, type TestClient } from '../support/client.ts';
import { openHome, type TestHome } from '../support/home.ts';
import { itNeeds } from '../support/needs.ts';
import { killDaemon } from '../support/parts.ts';
import { at, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch, runToEnd, statusSays } from '../support/runs.ts';
import { packageRoot, runStrobe } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildByClang, buildTarget, targetSource } from '../support/targets.ts';

/** Program, flags, patterns, and what the answer must name: the fault and the value at fault. */
const unprotected = ['-O0', '-fno-stack-protector'] as const;
const programs: readonly (readonly [
  name: string,
  flags: readonly string[],
  signal: string | number,
  ...says: string[],
])[] = [
  ['ledger.cpp', [], 'SIGSEGV', 'customer->account->balance', 'ledger.cpp:23', 'name="bob"'],
  ['wild.c', ['-O0'], 'SIGSEGV', 'wild.c:9', 'far-too-'],
  ['doubleFree.c', ['-O0'], 'SIGABRT', 'free(): double free', 'doubleFree.c:5', 'close_all'],
  ['assertion.c', ['-O0', '-pthread'], 'SIGABRT', 'length=4, capacity=4', 'other threads:'],
  ['uncaught.cpp', [], 'SIGABRT', 'not a number: 3x', 'uncaught.cpp:8', '"3x"'],
  ['recursion.c', ['-O0'], 'SIGSEGV', 'stack overflow', 'rounds of', 'node=0x'],
  ['division.c', ['-O0'], 'SIGFPE', 'integer division by zero', 'count=0', 'division.c:11'],
  ['overrun.c', ['-O0', '-fstack-protector-all'], 'SIGABRT', 'stack smashing detected', 'greet'],
  ['noCode.cpp', [], 'SIGSEGV', 'which is no code', 'noCode.cpp:7'],
  ['returned.c', [...unprotected], 'SIGSEGV', 'the return address', '"AAAAAAAA"', 'returned.c:9'],
  ['aligned.c', ['-O1'], 'SIGSEGV', '*from at 0x', 'not aligned to 16 bytes', 'aligned.c:9'],
  ['handled.c', ['-O1'], 'SIGABRT', 'at work for SIGSEGV in last_id (handled.c:15)', 'order->id'],
  ['far.c', ['-O0'], 'SIGSEGV', '0x5603fd07d928 is not mapped (wild or freed', 'far.c:9'],
  ['globals.c', ['-O0'], 'SIGSEGV', 'registry.first->next->next->limit', 'globals.c:13'],
  ['ending.cpp', ['-O1'], 'SIGSEGV', '*lines', 'ending.cpp:9', 'exit  libc'],
  ['unlikely.c', ['-O2'], 'SIGSEGV', 'unlikely.c:12', 'withdraw', 'limit=nullptr'],
  ['freed.c', ['-O0', '-fsanitize=address'], 1, 'heap-use-after-free', 'freed.c:9', 'logout'],
  ['reused.c', ['-O0'], 'SIGSEGV', 'reused.c:9', '"hello, s"', 'logout(session='],
  ['heapOverrun.c', ['-O0'], 'SIGABRT', 'double free or corruption', 'heapOverrun.c:7', 'longer'],
  ['moved.c', ['-O0'], 'SIGILL', 'moved.c:9', 'in main'],
  ['undefined.c', ['-fsanitize=undefined'], 0, 'shift exponent 32', 'undefined.c:4', 'by=32'],
  ['leak.c', ['-fsanitize=address'], 1, 'detected memory leaks', 'leak.c:5', '30 byte(s) in 3'],
  [
    'race.c',
    ['-fsanitize=thread', '-pthread'],
    66,
    'ThreadSanitizer: data race',
    "Location is global 'balance'",
    'race.c:5',
    'in deposit',
  ],
];
const rustPrograms: typeof programs = [
  ['panic.rs', ['-C', 'panic=abort'], 'SIGABRT', 'index is 3', 'panic.rs:8', 'number=3'],
  ['reader.rs', [], 'SIGSEGV', 'reader.rs:9', '0x400004'],
];

const uninitialised: (typeof programs)[number] = [
  'uninitialised.c',
  ['-fsanitize=memory', '-fsanitize-memory-track-origins'],
  1,
  'MemorySanitizer: use-of-uninitialized-value  uninitialised.c:13',
  'in opened',
  'Uninitialized value was created by a heap allocation',
  'covers(account=0x',
  'amount=20)',
];

/** Without what depends on the environment's size: which of two functions fills the stack, and when. */
function stable(name: string, text: string): string {
  if (name !== 'recursion.c') return text;
  const told = text.split('\n').filter((line) => /^CRASH|^ {2}… the same/.test(line));
  return told
    .join('\n')
    .replaceAll(/\b(?:even|odd)\b/g, '<one of two>')
    .replaceAll(/recursion\.c:\d+/g, 'recursion.c:<line>')
    .replaceAll(/≥ \d+/g, '≥ <n>');
}

describe('crashes', () => {
  const golden = goldens(join(packageRoot, 'tests', 'e2e'), 'crash');
  const { home, client } = withClient();

  const tell = async (
    [name, flags, signal, ...says]: (typeof programs)[number],
    build: (source: string, flags: readonly string[]) => string = buildTarget,
  ): Promise<void> => {
    const program = build(`crash/${name}`, flags);
    const { sessionId, exit } = await runToEnd(client, home, program, {
      projectRoot: dirname(targetSource(`crash/${name}`)),
      patterns: ['@usercode'],
      env: { RUST_BACKTRACE: '0' },
    });
    expect(exit).toMatchObject(typeof signal === 'number' ? { code: signal } : { signal });
    const answer = await client.ok('debug_query', { view: 'crash', sessionId });
    expect(at(answer.structured, 'crashed')).toBe(signal !== 0);
    for (const words of says) expect(answer.text).toContain(words);
    expect(countTokens(answer.text)).toBeLessThanOrEqual(1500);
    // How much fits the usual budget, depends on the length of paths and numbers: the golden text
    // is the whole story.
    const whole = await client.ok('debug_query', { view: 'crash', sessionId, budget: 10_000 });
    const text = stable(name, whole.text)
      // Where other threads are, depends on chance.
      .replace(/^other threads:\n(?: {2}.*\n)+/m, '')
      // Most registers hold what was left in them.
      .replace(/^(registers:\n {2}).*$/m, '$1<registers>')
      // How long ago it ended, and whether a sanitizer's helper still runs, depends on the machine.
      .replace(/ · \d+ process(?:es)? it left behind still running$/m, '')
      .replace(/, just now$/m, ', 1 s ago')
      // How large the machine's libraries are, and what else lies beside what has no file.
      .replaceAll(/( (?:lib[\w.+-]+|anonymous) [r-][w-][x-]p) [\d,]+ [KM]B/g, '$1 <size>')
      // Whether this machine keeps core files.
      .replace(/^(.* was killed by \w+) \(core dumped\)/, '$1')
      .replaceAll(dirname(program), '<built>')
      .replaceAll(packageRoot, '<root>')
      // A check-out may be younger than the program that was built from the same text before.
      .replace(/not known:\n(?: {2}.* was changed after the program was built.*\n)+/, '');
    await golden.expectGolden(name, text);
    if (typeof signal === 'number') return;
    const other = await client.ok('debug_query', { view: 'stats', sessionId });
    expect(other.text).toContain(`CRASHED: ${signal} in `);
  };

  for (const program of programs) {
    test(`[crash.story] ${program[0]}: the faulty line and the value at fault`, async () =>
      tell(program));
  }
  for (const program of rustPrograms) {
    itNeeds('rustc', `[crash.story] ${program[0]}: the same of Rust`, async () => tell(program));
  }

  itNeeds(
    'clang',
    '[crash.story] uninitialised.c: the same of clang’s memory sanitizer',
    async () => tell(uninitialised, buildByClang),
  );

  for (const way of ['overflow', 'thread overflow'])
    test(`[crash.untraced] a full stack is explained where nothing is traced: ${way}`, async () => {
      const program = join(home.project, 'ways');
      copyFileSync(buildTarget('crash/ways.c', ['-O0', '-pthread']), program);
      const stdin = { text: `${way}\n` };
      const { sessionId, exit } = await runToEnd(client, home, program, { stdin });
      expect(exit).toMatchObject({ signal: 'SIGSEGV' });
      const { text } = await client.ok('debug_query', { view: 'crash', sessionId });
      expect(text).toMatch(/CRASH SIGSEGV in deeper .*stack overflow.* rounds of deeper/);
    });

  test('[crash.untraced] a program of the project that is launched without patterns is explained all the same', async () => {
    const program = join(home.project, 'uncaught');
    copyFileSync(buildTarget('crash/uncaught.cpp'), program);
    const { sessionId, exit, text } = await runToEnd(client, home, program);
    expect(text).toContain('Nothing is traced yet');
    expect(exit).toMatchObject({ signal: 'SIGABRT' });
    const answer = await client.ok('debug_query', { view: 'crash', sessionId });
    for (const words of ['CRASH SIGABRT in parse (uncaught.cpp:8)', '"3x"', 'not a number: 3x'])
      expect(answer.text).toContain(words);
    const others = [{ view: 'tree' }, { view: 'stats' }, { view: 'output' }];
    for (const other of [...others, { view: 'sql', sql: 'SELECT 1' }]) {
      const { text: mention } = await client.ok('debug_query', { ...other, sessionId });
      expect(mention).toContain('! CRASHED: SIGABRT in parse (uncaught.cpp:8)');
    }
    const pack = join(home.project, 'crash.strobe');
    for (const request of [
      ...['status', 'wait', 'retain', 'stop'].map((action) => ({ action })),
      { action: 'pack', path: pack },
    ]) {
      const { text: mention } = await client.ok('debug_session', { ...request, sessionId });
      expect(mention).toContain('! CRASHED: SIGABRT in parse (uncaught.cpp:8)');
    }
    const list = await client.ok('debug_session', { action: 'list' });
    expect(list.text).toContain('CRASHED: SIGABRT in parse (uncaught.cpp:8)');
    const traced = await client.ok('debug_trace', { sessionId });
    expect(traced.text).toContain('! CRASHED: SIGABRT in parse (uncaught.cpp:8)');
    expect(traced.text).toContain('"view":"crash"');
    const refused = await client.refused('debug_trace', { sessionId, add: ['parse'] });
    expect(refused.text).toContain('CRASHED: SIGABRT in parse (uncaught.cpp:8)');
    const events = await client.ok('debug_query', { view: 'events', sessionId });
    expect(events.text).toContain('! CRASHED: SIGABRT in parse (uncaught.cpp:8)');
    expect(events.text).toContain(
      'std::invalid_argument "not a number: 3x" thrown in parse (uncaught.cpp:8), UNCAUGHT',
    );
  });

  test('[crash.story] the launch it proposes names all that was traced, and what was at fault', async () => {
    const program = buildTarget('crash/uncaught.cpp');
    const { sessionId } = await runToEnd(client, home, program, {
      patterns: ['su?', 'stoi', { pattern: 'main', trigger: 'start' }],
    });
    const { text } = await client.ok('debug_query', { view: 'crash', sessionId });
    expect(text).toContain(
      '"patterns":["su?","stoi",{"pattern":"main","trigger":"start"},"parse"]',
    );
  });

  test('[crash.children] a crashed child is told while its parent runs, with its stack where something of it is traced', async () => {
    const program = buildTarget('crash/ledger.cpp');
    const projectRoot = dirname(program);
    const parent = { command: 'sh', projectRoot, stdin: 'open' };
    const args = ['-c', `for i in 1 2 3; do ${program}; done; read line; exit 3`];
    const line = 'SIGSEGV in covers (ledger.cpp:23): null pointer: customer->account->balance';
    const { sessionId } = await launch(client, home, 'sh', { ...parent, args, patterns: ['main'] });
    const crashNotes = /! CRASHED \(pid \d+\): SIGSEGV in covers[^]*! CRASHED: 2 more processes/;
    await statusSays(client, sessionId, crashNotes);
    const told = await client.ok('debug_query', { view: 'crash', sessionId });
    expect(told.text).toContain(`CRASH ${line}`);
    expect(told.text).toMatch(/^also pid \d+, \d+: the same$/m);
    // Of the process that is told; the others made calls, too.
    expect(told.text.match(/^traced calls that never returned/gm)).toHaveLength(1);
    expect(at(told.structured, 'state')).toBe('running');
    await client.ok('debug_session', { action: 'input', sessionId, text: '\n' });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 3 });

    const untraced = await runToEnd(client, home, 'sh', {
      ...parent,
      stdin: 'closed',
      args: ['-c', `${program}; exit 0`],
    });
    const { text, structured } = await client.ok('debug_query', {
      view: 'crash',
      sessionId: untraced.sessionId,
    });
    expect(text).toMatch(/! CRASHED \(pid \d+, ledger\) by SIGSEGV; no stack was kept/);
    expect(text).toContain('"patterns":["@usercode"]');
    expect(at(structured, 'crashed')).toBe(true);
  });

  test('[trace.debugger] a breakpoint in the jump of a hook is named as the cause', async () => {
    const program = buildTarget('engine/refusals.c');
    const { sessionId, structured } = await launch(client, home, program, {
      stdin: 'open',
      patterns: ['neighbour'],
    });
    await statusSays(client, sessionId, /ready/);
    const pid = numberAt(structured, 'pid');
    const maps = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n');
    const [map] = maps.find((line) => line.endsWith(program))?.split('-', 1) ?? [];
    const { address = 0n } = symbolsOf(program).get('neighbour') ?? {};
    const place = (BigInt(`0x${map}`) + address + 4n).toString(16);
    execFileSync(buildTarget('engine/exchangeByte.c'), [String(pid), place, 'cc']);
    await client.ok('debug_session', { action: 'input', sessionId, text: 'go\n' });
    await exitOf(client, sessionId);
    const { text } = await client.ok('debug_query', { view: 'crash', sessionId });
    expect(text).toMatch(
      /CRASH SIGSEGV: a debugger's breakpoint in the jump that tracing put at the beginning of neighbour changed where it leads/,
    );
  });

  test('[trace.stack-room] of a stack that overflows, what tracing took is told', async () => {
    const program = buildTarget('crash/recursion.c', ['-O0']);
    const { sessionId } = await runToEnd(client, home, program, { patterns: ['odd', 'even'] });
    const { text } = await client.ok('debug_query', { view: 'crash', sessionId });
    expect(text).toMatch(/stack overflow: the stack \(\d{6} KB\) is full/);
    expect(text).toMatch(
      /^tracing: its frames are at least 128 of the \d+ bytes that a round takes; the stack was made 96 MB larger for it$/m,
    );
  });

  test('[crash.children] of a child in which nothing is traced the first crash is told, the next is explained', async () => {
    const program = buildTarget('crash/ledger.cpp');
    const { sessionId } = await launch(client, home, 'sh', {
      projectRoot: dirname(program),
      stdin: 'open',
      args: ['-c', `${program}; read line; ${program}; ${program}; exit 3`],
    });
    const first = await statusSays(client, sessionId, /no stack was kept: .*Should it run again/);
    expect(first).not.toContain('covers');
    await client.ok('debug_session', { action: 'input', sessionId, text: '\n' });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 3 });
    const { text } = await client.ok('debug_query', { view: 'crash', sessionId });
    expect(text).toContain(
      'CRASH SIGSEGV in covers (ledger.cpp:23): null pointer: customer->account->balance',
    );
    expect(text).toMatch(/^also pid \d+: the same$/m);
    expect(text).toContain('name="bob"');
    const output = await client.ok('debug_query', { view: 'output', sessionId });
    expect(output.text.match(/settling 3 orders/g)).toHaveLength(3);
  });

  itNeeds(
    'coreFiles',
    '[crash.children] the first crash of such a child is explained where it leaves a core file',
    async () => {
      const program = join(home.project, 'ledger');
      copyFileSync(buildTarget('crash/ledger.cpp'), program);
      const args = ['-c', `ulimit -c unlimited; ${program}; exit 3`];
      const { sessionId, exit } = await runToEnd(client, home, '/bin/sh', { args });
      expect(exit).toEqual({ kind: 'exited', code: 3 });
      const { text } = await client.ok('debug_query', { view: 'crash', sessionId });
      for (const words of ['customer->account->balance', 'ledger.cpp:23', 'name="bob"'])
        expect(text).toContain(words);
      const status = await client.ok('debug_session', { action: 'status', sessionId });
      expect(status.text).toMatch(/CRASHED \(pid \d+\): SIGSEGV in /);
    },
  );

  test('[crash.children] a session that is started again explains the first crash of what crashed before', async () => {
    const program = buildTarget('crash/ledger.cpp');
    const request = { projectRoot: dirname(program), stdin: 'open' };
    const args = ['-c', `${program}; read line; exit 3`];
    const { sessionId } = await launch(client, home, 'sh', { ...request, args });
    await statusSays(client, sessionId, /no stack was kept: .*Should it run again/);
    const again = await client.ok('debug_session', { action: 'restart', sessionId });
    const next = textAt(again.structured, 'sessionId');
    expect(next).not.toBe(sessionId);
    await statusSays(client, next, /! CRASHED \(pid \d+\): SIGSEGV in covers \(ledger\.cpp:23\)/);
    await client.ok('debug_session', { action: 'input', sessionId: next, text: '\n' });
    expect(await exitOf(client, next)).toEqual({ kind: 'exited', code: 3 });
  });

  test('[crash.kept] a crash is told as before when the daemon has ended and program and source are gone', async () => {
    const own = openHome();
    const [program, source] = ['ledger', 'ledger.cpp'].map((name) => join(own.project, name));
    if (program === undefined || source === undefined) throw new Error('no paths');
    copyFileSync(targetSource('crash/ledger.cpp'), source);
    execFileSync('g++', ['-g', '-O1', '-o', program, source]);
    const ask = async (asker: TestClient, sessionId: string): Promise<string> => {
      // All of it: what fits the usual budget depends on how long ago it was.
      const answer = await asker.ok('debug_query', { view: 'crash', sessionId, budget: 10_000 });
      return answer.text.replace(/, (?:just now|\S+ \S+ ago)$/m, '');
    };
    const first = await startClient(own);
    const { sessionId } = await runToEnd(first, own, program, { patterns: ['@usercode'] });
    // Each of them asks for the first time.
    const other = await startClient(own);
    const before = await ask(other, sessionId);
    await other.close();
    for (const words of ['customer->account->balance', 'name="bob"', '>  23 '])
      expect(before).toContain(words);
    await first.close();
    await runStrobe({ env: own.env, cwd: own.project }, ['daemon', 'stop']);
    rmSync(source);
    copyFileSync('/bin/true', program);
    const second = await startClient(own);
    expect(await ask(second, sessionId)).toBe(before);

    // As a power cut leaves it: the socket is there, and nobody behind it.
    await killDaemon(own);
    await second.close();
    const third = await startClient(own);
    expect(await ask(third, sessionId)).toBe(before);
    await third.close();
    await own.close();
  });

  test('[crash.kept] a home that was copied elsewhere tells its crashes there, when the first is gone', async () => {
    const [first, second] = [openHome(), openHome()];
    const program = buildTarget('crash/ledger.cpp');
    const views = [{ view: 'crash' }, { view: 'tree' }, { view: 'events' }, { view: 'output' }];
    const answers = async (from: TestHome, sessionId: string): Promise<string[]> => {
      const asker = await startClient(from);
      const texts: string[] = [];
      for (const view of views) {
        const { text } = await asker.ok('debug_query', { ...view, sessionId, budget: 10_000 });
        texts.push(text.replace(/, (?:just now|\S+ \S+ ago)$/m, ''));
      }
      await asker.close();
      return texts;
    };
    const launcher = await startClient(first);
    const { sessionId } = await runToEnd(launcher, first, program, { patterns: ['@usercode'] });
    await launcher.close();
    const before = await answers(first, sessionId);
    expect(before[0]).toContain('customer->account->balance');
    await runStrobe({ env: first.env, cwd: first.project }, ['daemon', 'stop']);
    for (const name of ['strobe.db', 'sessions'])
      cpSync(join(first.path, name), join(second.path, name), { recursive: true });
    await first.close();
    expect(await answers(second, sessionId)).toEqual(before);
    await second.close();
  });

  itNeeds(
    'coreFiles',
    '[crash.core] a traced program leaves the core file that it would untraced, and gdb shows the same',
    async () => {
      const program = buildTarget('crash/ledger.cpp');
      const args = ['-c', `ulimit -c unlimited; exec ${program}`];
      const { sessionId, exit } = await runToEnd(client, home, 'sh', {
        args,
        projectRoot: dirname(program),
        cwd: home.project,
        patterns: ['covers', 'main'],
      });
      expect(exit).toMatchObject({ signal: 'SIGSEGV', coreDumped: true });
      const core = readdirSync(home.project).find((name) => name.startsWith('core'));
      const shown = spawnSync(
        'gdb',
        ['--batch', '-nx', '-ex', 'bt', program, join(home.project, core ?? '')],
        { encoding: 'utf8', timeout: 60_000 },
      ).stdout;
      const lines = [...shown.matchAll(/^#\d+ .*?(\w+) \(.*\) at \S*?(ledger\.cpp:\d+)$/gm)];
      const theirs = new Set(lines.map(([, name = '', place = '']) => `${name} ${place}`));
      expect([...theirs]).toHaveLength(3);
      const { text } = await client.ok('debug_query', { view: 'crash', sessionId });
      const ours = [...text.matchAll(/^ {2}#\d+ (\w+)\(.*\) {2}(?:\S*\/)?(ledger\.cpp:\d+)$/gm)];
      expect(ours.map(([, name = '', place = '']) => `${name} ${place}`)).toEqual([...theirs]);
    },
  );

  itNeeds('gdb', '[crash.core] a core file is explained without running anything', async () => {
    const program = buildTarget('crash/ledger.cpp');
    const core = join(home.path, 'ledger.core');
    const commands = ['run', `generate-core-file ${core}`, 'kill'];
    spawnSync('gdb', ['--batch', '-nx', ...commands.flatMap((text) => ['-ex', text]), program], {
      timeout: 60_000,
    });
    const projectRoot = dirname(targetSource('crash/ledger.cpp'));
    const launched = await client.ok('debug_launch', { command: program, core, projectRoot });
    expect(launched.text).toContain('CRASHED: SIGSEGV in covers');
    const answer = await client.ok('debug_query', {
      view: 'crash',
      sessionId: textAt(launched.structured, 'sessionId'),
    });
    for (const words of ['customer->account->balance', 'name="bob"', 'ledger.cpp:23'])
      expect(answer.text).toContain(words);
    const refused = await client.refused('debug_launch', {
      command: program,
      core,
      projectRoot,
      patterns: ['*'],
    });
    expect(refused.text).toContain('"patterns"');
    const noCore = await client.refused('debug_launch', {
      command: program,
      core: program,
      projectRoot,
    });
    expect(noCore.text).toContain('is no core file');
  });
});
