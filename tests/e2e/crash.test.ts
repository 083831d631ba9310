import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { countTokens } from '../../src/daemon/report/budget.ts';
import { goldens } from '../golden.ts';
import { startClient, type TestClient } from '../support/client.ts';
import { openHome, type TestHome } from '../support/home.ts';
import { itNeeds } from '../support/needs.ts';
import { at, textAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { packageRoot, runStrobe } from '../support/strobe.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

/** Program, flags, patterns, and what the answer must name: the fault and the value at fault. */
const programs: readonly (readonly [
  name: string,
  flags: readonly string[],
  signal: string | number,
  ...says: string[],
])[] = [
  ['ledger.cpp', [], 'SIGSEGV', 'customer->account->balance', 'ledger.cpp:23', 'name: "bob"'],
  ['wild.c', ['-O0'], 'SIGSEGV', 'wild.c:9', 'far-too-'],
  ['doubleFree.c', ['-O0'], 'SIGABRT', 'free(): double free', 'doubleFree.c:5', 'close_all'],
  ['assertion.c', ['-O0', '-pthread'], 'SIGABRT', 'length: 4, capacity: 4', 'item=4'],
  ['uncaught.cpp', [], 'SIGABRT', 'not a number: 3x', 'uncaught.cpp:8', '"3x"'],
  ['recursion.c', ['-O0'], 'SIGSEGV', 'stack overflow', 'rounds of', 'node=0x'],
  ['division.c', ['-O0'], 'SIGFPE', 'integer division by zero', 'count: 0', 'division.c:11'],
  ['overrun.c', ['-O0', '-fstack-protector-all'], 'SIGABRT', 'stack smashing detected', 'greet'],
  ['noCode.cpp', [], 'SIGSEGV', 'which is no code', 'noCode.cpp:7'],
  ['freed.c', ['-O0', '-fsanitize=address'], 1, 'heap-use-after-free', 'freed.c:9', 'logout'],
  ['reused.c', ['-O0'], 'SIGSEGV', 'reused.c:9', '"hello, s"', 'logout(session='],
  ['heapOverrun.c', ['-O0'], 'SIGABRT', 'double free or corruption', 'heapOverrun.c:7', 'longer'],
  ['undefined.c', ['-fsanitize=undefined'], 0, 'shift exponent 32', 'undefined.c:4', 'by=32'],
  ['leak.c', ['-fsanitize=address'], 1, 'detected memory leaks', 'leak.c:5', '30 byte(s) in 3'],
  [
    ...(['race.c', ['-fsanitize=thread', '-pthread'], 66, 'ThreadSanitizer: data race'] as const),
    ...["Location is global 'balance'", 'race.c:5', 'in deposit'],
  ],
];
const rustPrograms: typeof programs = [
  ['panic.rs', ['-C', 'panic=abort'], 'SIGABRT', 'index is 3', 'panic.rs:8', 'number=3'],
  ['reader.rs', [], 'SIGSEGV', 'reader.rs:9', '0x400004'],
];

describe('crashes', () => {
  let home: TestHome;
  let client: TestClient;
  const golden = goldens(join(packageRoot, 'tests', 'e2e'), 'crash');
  beforeAll(async () => {
    home = openHome();
    client = await startClient(home);
  });
  afterAll(async () => {
    await client.close();
    await home.close();
  });

  const tell = async ([name, flags, signal, ...says]: (typeof programs)[number]): Promise<void> => {
    const program = buildTarget(`crash/${name}`, flags);
    const { sessionId, exit } = await runToEnd(client, home, program, {
      projectRoot: dirname(targetSource(`crash/${name}`)),
      patterns: ['@usercode'],
      env: { RUST_BACKTRACE: '0' },
    });
    expect(exit).toMatchObject(typeof signal === 'number' ? { code: signal } : { signal });
    const answer = await client.ok('debug_query', { view: 'crash', sessionId });
    expect(at(answer.structured, 'crashed')).toBe(signal !== 0);
    for (const words of says) expect(answer.text).toContain(words);
    expect(await countTokens(answer.text)).toBeLessThanOrEqual(1500);
    // How deep it gets, and in which of the two functions, depends on the environment's size; which thread is first, on chance.
    if (name === 'recursion.c' || name === 'race.c') return;
    const text = answer.text
      // How long ago it ended depends on the machine.
      .replace(/, just now$/m, ', 1 s ago')
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

  test('[crash.untraced] a program of the project that is launched without patterns is explained all the same', async () => {
    const program = join(home.project, 'uncaught');
    copyFileSync(buildTarget('crash/uncaught.cpp'), program);
    const { sessionId, exit, text } = await runToEnd(client, home, program);
    expect(text).toContain('Nothing is traced yet');
    expect(exit).toMatchObject({ signal: 'SIGABRT' });
    const answer = await client.ok('debug_query', { view: 'crash', sessionId });
    for (const words of ['CRASH SIGABRT in parse (uncaught.cpp:8)', '"3x"', 'not a number: 3x'])
      expect(answer.text).toContain(words);
    const events = await client.ok('debug_query', { view: 'events', sessionId });
    expect(events.text).toContain(
      'std::invalid_argument "not a number: 3x" thrown in parse (uncaught.cpp:8), UNCAUGHT',
    );
  });

  test('[crash.kept] a crash is told as before when the daemon has ended and program and source are gone', async () => {
    const own = openHome();
    const [program, source] = ['ledger', 'ledger.cpp'].map((name) => join(own.project, name));
    if (program === undefined || source === undefined) throw new Error('no paths');
    copyFileSync(targetSource('crash/ledger.cpp'), source);
    execFileSync('g++', ['-g', '-O1', '-o', program, source]);
    const ask = async (asker: TestClient, sessionId: string): Promise<string> => {
      const answer = await asker.ok('debug_query', { view: 'crash', sessionId });
      return answer.text.replace(/, (?:just now|\S+ \S+ ago)$/m, '');
    };
    const first = await startClient(own);
    const { sessionId } = await runToEnd(first, own, program, { patterns: ['@usercode'] });
    const before = await ask(first, sessionId);
    for (const words of ['customer->account->balance', 'name: "bob"', '>  23 '])
      expect(before).toContain(words);
    await first.close();
    await runStrobe({ env: own.env, cwd: own.project }, ['daemon', 'stop']);
    rmSync(source);
    copyFileSync('/bin/true', program);
    const second = await startClient(own);
    expect(await ask(second, sessionId)).toBe(before);
    await second.close();
    await own.close();
  });

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
    for (const words of ['customer->account->balance', 'name: "bob"', 'ledger.cpp:23'])
      expect(answer.text).toContain(words);
    const refused = await client.refused('debug_launch', {
      ...{ command: program, core, projectRoot, patterns: ['*'] },
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
