import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { itNeeds } from '../../support/needs.ts';
import { OwnDaemon } from '../../support/ownDaemon.ts';
import { textAt } from '../../support/read.ts';
import { runsAsPlain, type Ran } from '../../support/runsAsPlain.ts';
import { packageRoot } from '../../support/strobe.ts';
import { targetSource } from '../../support/targets.ts';

const installed = join(packageRoot, '.cache/frameworks/node_modules');
const folder = targetSource('deno');

async function runDeno(...args: string[]): Promise<Ran> {
  return await runsAsPlain(join(installed, 'deno/deno'), args, {
    folder,
    env: { NO_COLOR: '1' },
    ignored: /\(\d+[mµ]?s\)|Check .*\n/g,
  });
}

itNeeds('deno', '[node.deno] traces a program in Deno, which runs as it does plain', async () => {
  const { calls } = await runDeno('run', '-A', 'main.ts', 'child');
  const shown = calls.map((call) => [call.function, call.returns, call.end]);
  expect(shown).toEqual(
    expect.arrayContaining([
      ['main.main', 9, 'returned'],
      ['cart.Cart.total', 9, 'returned'],
      ['plain.half', 8, 'returned'],
      ['cart.later', 2, 'returned'],
    ]),
  );
  expect(
    calls.filter((call) => call.function === 'cart.later' && call.end === 'unwound'),
  ).toHaveLength(2);
  expect(new Set(calls.map(({ pid }) => pid)).size).toBe(2);
});

itNeeds('deno', '[node.deno] names Deno as what a session runs, also by a shell', async () => {
  for (const [command, args, named] of [
    [join(installed, 'deno/deno'), ['run', '-A', 'main.ts'], ' · Deno (JavaScript) · '],
    [
      'sh',
      ['-c', `${join(installed, 'deno/deno')} run -A main.ts; true`],
      ', Deno (JavaScript) · ',
    ],
  ] as const) {
    const { daemon, sessionId } = await runsAsPlain(command, args, { folder });
    const { text } = await daemon.ok('debug_session', { action: 'status', sessionId });
    expect(text).toContain(named);
  }
});

itNeeds('deno', '[node.deno] tells of an exception that nothing caught in Deno', async () => {
  const { daemon, sessionId } = await runDeno('run', '-A', 'main.ts', 'breaks');
  const { text } = await daemon.ok('debug_query', { sessionId, view: 'crash' });
  expect(text).toContain('TypeError');
  expect(text).toContain('main.ts:13');
});

itNeeds('deno', '[node.deno] traces what tests of Deno call', async () => {
  const { calls } = await runDeno('test', '-A', 'cartTest.ts');
  const totals = calls.filter((call) => call.function === 'cart.Cart.total');
  expect(totals.map(({ returns }) => returns)).toEqual([5, 2]);
});

itNeeds('deno', '[node.deno] says which test runs, and tests see what they see plain', async () => {
  const { daemon, sessionId } = await runDeno('test', '-A', 'ownTest.ts');
  const { text } = await daemon.ok('debug_query', { sessionId, eventType: ['strand'] });
  const tests = [...text.matchAll(/strand\| (.*) on the thread/g)].map(([, said]) => said);
  // What runs before each test, and tests that are named by their cases, belong to none.
  expect(tests).toEqual([
    'test ownTest.ts > shows its stack runs',
    'no strand runs',
    'test ownTest.ts > waits runs',
    'no strand runs',
    'test ownTest.ts > breaks runs',
  ]);
});

itNeeds('deno', '[node.deno] says that workers of Deno are not traced', async () => {
  const { daemon, sessionId, calls } = await runDeno('run', '-A', 'workers.ts');
  expect(calls.map((call) => call.function)).toEqual(['workers.worker.onmessage']);
  const { text } = await daemon.ok('debug_session', { action: 'status', sessionId });
  expect(text).toContain('workers of Deno show no calls');
});

itNeeds(
  'deno',
  '[node.deno] says which permission Deno lacks, and makes it ask for none',
  async () => {
    for (const permitted of [[], ['--allow-ffi']]) {
      const { daemon, sessionId, calls } = await runDeno('run', ...permitted, 'alone.ts');
      expect(calls).toEqual([]);
      const { text } = await daemon.ok('debug_session', { action: 'status', sessionId });
      expect(text).toContain('--allow-ffi, --allow-env and --allow-read');
    }
  },
);

const bun = join(installed, 'bun/bin/bun.exe');
const refusal = 'JavaScript functions of bun.exe cannot be traced: it is Bun, ';
const remedy = 'Where the program also runs on Node 20 to 26 or Deno, trace it there';

/** A session in which Bun ran a text to its end. */
async function runBun(
  code: string,
  patterns: readonly string[] = [],
): Promise<{ daemon: OwnDaemon; sessionId: string; launched: string }> {
  const daemon = await OwnDaemon.start([]);
  onTestFinished(async () => daemon.close());
  const { text, structured } = await daemon.ok('debug_launch', {
    command: bun,
    args: ['-e', code],
    projectRoot: daemon.home.project,
    ...(patterns.length > 0 ? { patterns } : {}),
  });
  const sessionId = textAt(structured, 'sessionId');
  await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 20_000 });
  return { daemon, sessionId, launched: text };
}

itNeeds(
  'bun',
  '[node.others] says that functions of Bun are not traced, and what to do',
  async () => {
    const patterns = ['@usercode', 'Cart.*'];
    const { daemon, sessionId, launched } = await runBun('console.log(6 * 7)', patterns);
    for (const pattern of patterns)
      expect(launched).toContain(`${pattern}: NOTHING_MATCHED: ${refusal}`);
    expect(launched).toContain(remedy);
    expect(launched).not.toContain('json.dumps');
    const { text } = await daemon.ok('debug_query', { sessionId, view: 'output' });
    expect(text).toContain('42');
    const tree = await daemon.ok('debug_query', { sessionId, view: 'tree' });
    expect(tree.text).toContain(`matched 0 functions. ${refusal}`);
    expect(tree.text).toContain('what to run instead');
    const fine = await daemon.ok('debug_query', { sessionId, view: 'crash' });
    expect(fine.text).toContain('Nothing crashed.');
  },
);

itNeeds('bun', '[node.others] says that an exception in Bun is only in its output', async () => {
  const { daemon, sessionId, launched } = await runBun('null.cents');
  expect(launched).toContain(refusal);
  const { text } = await daemon.ok('debug_query', { sessionId, view: 'crash' });
  expect(text).toContain('exited with code 1');
  expect(text).toContain('Exceptions that it throws are not recorded: what it wrote is below.');
  expect(text).toContain(remedy);
  expect(text).toMatch(/stderr\| .*TypeError/);
  expect(text).not.toContain('Nothing crashed');
  expect(text).not.toContain('@usercode');
});

itNeeds('bun', '[node.others] says the same of a Bun that a shell started', async () => {
  for (const [script, who] of [
    ['exec $0 -e null.cents', 'exited with code 1'],
    ['$0 -e null.cents; true', '-e null.cents) exited with code 1.'],
  ]) {
    const daemon = await OwnDaemon.start([]);
    onTestFinished(async () => daemon.close());
    const { structured } = await daemon.ok('debug_launch', {
      command: 'sh',
      args: ['-c', script, bun],
      projectRoot: daemon.home.project,
    });
    const sessionId = textAt(structured, 'sessionId');
    await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 20_000 });
    const { text } = await daemon.ok('debug_query', { sessionId, view: 'crash' });
    expect(text).toContain(who);
    expect(text).toContain('Exceptions that it throws are not recorded: what it wrote is below.');
    expect(text).toContain(remedy);
    expect(text).not.toContain('Nothing crashed');
    const stats = await daemon.ok('debug_query', { sessionId, view: 'stats' });
    expect(stats.text).not.toContain('@usercode');
  }
});

itNeeds('bun', '[node.others] names Bun as what a session runs', async () => {
  const { daemon, sessionId, launched } = await runBun('console.log(1)');
  expect(launched).toContain('Bun, not traced · project');
  const { text } = await daemon.ok('debug_session', { action: 'status', sessionId });
  expect(text).not.toContain('node (JavaScript)');
});

itNeeds('bun', '[node.others] says what is known of a signal that ended Bun', async () => {
  const { daemon, sessionId } = await runBun("process.kill(process.pid, 'SIGSEGV')");
  const { text } = await daemon.ok('debug_query', { sessionId, view: 'crash' });
  expect(text).toContain('was killed by SIGSEGV');
  expect(text).toContain('which JavaScript ran then is not known');
  expect(text).toContain(remedy);
  expect(text).not.toContain('@usercode');
});

itNeeds(
  'bun',
  '[node.others] says why breakpoints and patterns wait in a running Bun',
  async () => {
    const daemon = await OwnDaemon.start([]);
    onTestFinished(async () => daemon.close());
    const { structured } = await daemon.ok('debug_launch', {
      command: bun,
      args: ['-e', 'setInterval(() => {}, 50)'],
      projectRoot: daemon.home.project,
    });
    const sessionId = textAt(structured, 'sessionId');
    const refused = daemon.ok('debug_trace', { sessionId, add: ['tick'] });
    await expect(refused).rejects.toHaveProperty('hint', expect.stringContaining(remedy));
    const { text } = await daemon.ok('debug_breakpoint', {
      sessionId,
      add: [{ file: join(daemon.home.project, 'app.ts'), line: 1 }],
    });
    expect(text).toContain(`pending: ${refusal}`);
    expect(text).not.toContain('debug_continue');
    await daemon.ok('debug_session', { action: 'stop', sessionId });
  },
);
