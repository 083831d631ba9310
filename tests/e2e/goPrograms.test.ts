import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { callsOf, linesOf, type SeenCall } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { at, numberAt, textAt } from '../support/read.ts';
import { Running } from '../support/running.ts';
import { launch, runToEnd } from '../support/runs.ts';
import { packageRoot } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';
import { countsOf, runTests, testProject } from '../support/testProjects.ts';

describe('programs of Go, traced from outside', () => {
  const { home, client } = withClient();

  const program = (): string => buildTarget('e2e/accounts.go');

  const named = (calls: readonly SeenCall[], name: string): readonly SeenCall[] =>
    calls.filter((call) => call.function === name);

  itNeeds(
    'go',
    '[go.waits] nothing is said of a program that makes no system calls of its own',
    async () => {
      const run = await runToEnd(client, home, buildTarget('e2e/bare.go'), {
        patterns: ['main.*'],
      });
      expect(run.exit).toEqual({ kind: 'exited', code: 0 });
      const { sessionId } = run;
      const [main, add] = await callsOf(client, sessionId);
      expect([main?.function, add?.returns]).toEqual(['main.main', 3]);
      const status = await client.ok('debug_session', { action: 'status', sessionId });
      expect(`${run.text}${status.text}`).not.toContain('goroutines wait');
    },
  );

  itNeeds('go', '[go.launch] calls, arguments and results are those of the run', async () => {
    const run = await runToEnd(client, home, program(), { args: ['exit'], patterns: ['main.*'] });
    expect(run.exit).toEqual({ kind: 'exited', code: 3 });
    const untraced = spawnSync(program(), ['exit'], { encoding: 'utf8' });
    const lines = await linesOf(client, run.sessionId);
    expect(`${lines.map(({ text }) => text).join('\n')}\n`).toBe(untraced.stdout);
    const calls = await callsOf(client, run.sessionId);
    const [gift, oops] = named(calls, 'main.(*Account).Deposit');
    expect(gift?.arguments).toMatchObject({ amount: 5, why: 'gift', a: { Owner: 'Ada' } });
    expect(gift?.returns).toMatchObject({ r0: 5, r1: null });
    const tree = await client.ok('debug_query', { sessionId: run.sessionId, view: 'events' });
    expect(tree.text).toMatch(/r1=nil/);
    expect(tree.text).not.toMatch(/nullptr/);
    expect(oops?.returns).toMatchObject({
      r0: 5,
      r1: { '*errors.errorString': { s: 'negative: oops' } },
    });
    const fib = named(calls, 'main.fib');
    expect(fib).toHaveLength(177);
    expect(fib[0]).toMatchObject({ arguments: { n: 10 }, returns: 55 });
    const [mean] = named(calls, 'main.mean');
    expect(mean).toMatchObject({ arguments: { xs: [1, 2, 3], scale: 2 }, returns: 4 });
    const [map] = calls.filter((call) => call.function.startsWith('main.Map['));
    expect(map).toMatchObject({ arguments: { xs: [1, 2] }, returns: ['1', '2'] });
    const [many] = named(calls, 'main.many');
    expect(many?.arguments).toMatchObject({ a: 1, i: 9, j: 10, last: 'end' });
    expect(named(calls, 'main.lengthOr').map(({ returns }) => returns)).toEqual([5, -1]);
    const [guarded] = named(calls, 'main.guarded');
    expect(guarded?.arguments).toMatchObject({
      names: { a: 1 },
      shape: { 'main.Square': { W: 2, H: 3 } },
    });
  });

  itNeeds('go', '[go.values] contexts, times, channels and errors say what they hold', async () => {
    const run = await runToEnd(client, home, buildTarget('e2e/contexts.go'), {
      patterns: ['main.*'],
    });
    expect(run.exit).toEqual({ kind: 'exited', code: 0 });
    const calls = await callsOf(client, run.sessionId);
    const address: unknown = expect.stringMatching(/^0x/);
    const user = {
      '*context.valueCtx': {
        key: { 'main.key': 'user' },
        val: { string: 'ann' },
        Context: { 'context.backgroundCtx': address },
      },
    };
    const limited = {
      '*context.timerCtx': { deadline: '2200-01-02T03:04:05Z', err: null, Context: user },
    };
    const cancelled = {
      err: { '*errors.errorString': { s: 'context canceled' } },
      cause: { '*errors.errorString': { s: 'because' } },
      Context: limited,
    };
    const contexts = named(calls, 'main.withContext');
    expect(contexts.map((call) => at(call.arguments, 'ctx'))).toMatchObject([
      user,
      limited,
      { '*context.cancelCtx': { err: null, cause: null, Context: limited } },
      { '*context.cancelCtx': cancelled },
    ]);
    const lines = await linesOf(client, run.sessionId);
    const durations = named(calls, 'main.later').map(
      (call) => `${textAt(call.arguments, 'by')} ${String(call.returns)}`,
    );
    // As the program writes them itself.
    expect(durations).toEqual(lines.slice(2, 8).map(({ text }) => text));
    const channels = named(calls, 'main.waiting').map((call) => at(call.arguments, 'ch'));
    expect(channels).toEqual([['x'], { closed: ['x'] }, null]);
    expect(named(calls, 'main.failing').map(({ returns }) => returns)).toMatchObject([
      { '*errors.errorString': { s: 'plain' } },
      { '*fmt.wrapError': { msg: 'load: inner', err: { '*errors.errorString': { s: 'inner' } } } },
      {
        '*io/fs.PathError': {
          Op: 'open',
          Path: '/does/not/exist',
          Err: { 'syscall.Errno': 'ENOENT' },
        },
      },
      { '*main.outOf': { Low: 1, High: 9, Got: 12 } },
      null,
    ]);
  });

  itNeeds('go', '[go.panics] a panic is seen in each call that it leaves', async () => {
    const run = await runToEnd(client, home, program(), {
      args: ['panic'],
      patterns: ['main.check', 'main.guarded', 'main.main'],
    });
    expect(run.exit).toEqual({ kind: 'exited', code: 2 });
    const calls = await callsOf(client, run.sessionId);
    expect(named(calls, 'main.check').map(({ end }) => end)).toEqual([
      'returned',
      'unwound',
      'open',
    ]);
    expect(named(calls, 'main.guarded').at(-1)?.returns).toMatchObject({
      '*errors.errorString': { s: 'recovered: too many: 2' },
    });
    expect(named(calls, 'main.main').map(({ end }) => end)).toEqual(['open']);
  });

  itNeeds(
    'go',
    '[go.goroutines] calls are paired by goroutine, on whatever threads it runs',
    async () => {
      const run = await runToEnd(client, home, program(), {
        args: ['exit'],
        patterns: ['main.worker', 'main.deep', 'main.(*Account).Deposit', 'main.waited'],
      });
      const calls = await callsOf(client, run.sessionId);
      const workers = named(calls, 'main.worker');
      expect(workers).toHaveLength(8);
      expect(new Set(workers.map(({ threadName }) => threadName)).size).toBe(8);
      for (const worker of workers) {
        const own = calls.filter(({ parent }) => parent === worker.id);
        expect(own.map((call) => call.function)).toEqual([
          ...Array.from({ length: 20 }, () => 'main.(*Account).Deposit'),
          'main.deep',
        ]);
        expect(worker.threadName).toMatch(/^goroutine \d+ of 1$/);
      }
      expect(named(calls, 'main.deep')).toHaveLength(808);
      expect(named(calls, 'main.waited').map(({ returns }) => returns)).toEqual([7]);
      expect(calls.filter(({ end }) => end !== 'returned')).toEqual([]);
    },
  );

  itNeeds('go', '[go.waits] calls say how long they waited, and for what', async () => {
    const run = await runToEnd(client, home, buildTarget('e2e/waits.go'), { patterns: ['main.*'] });
    expect(run.exit).toEqual({ kind: 'exited', code: 0 });
    const { sessionId } = run;
    const { structured } = await client.ok('debug_query', {
      sessionId,
      view: 'events',
      eventType: ['suspend'],
      limit: 500,
    });
    const texts = JSON.stringify(structured);
    const reasons = [
      ['slept', 'sleep'],
      ['received', 'chan receive'],
      ['sent', 'chan send'],
      ['selected', 'select'],
      ['locked', 'sync.Mutex.Lock'],
      ['signalled', 'sync.Cond.Wait'],
      ['polled', 'IO wait'],
      ['called', 'a system call'],
    ];
    for (const [name, reason] of reasons)
      expect(texts).toContain(`main.${name} is suspended: ${reason}`);
    expect(texts).toMatch(/main\.grouped is suspended: (?:semacquire|sync\.WaitGroup\.Wait)/);
    const calls = await callsOf(client, sessionId);
    for (const [name] of [...reasons, ['grouped'], ['outer'], ['failing'], ['main']]) {
      const [call] = named(calls, `main.${name}`);
      expect(call?.suspendedNs ?? 0).toBeGreaterThan(0);
      expect(call?.suspendedNs).toBeLessThanOrEqual(call?.durationNs ?? 0);
    }
    // It sleeps so long at least.
    expect(named(calls, 'main.slept')[0]?.suspendedNs).toBeGreaterThanOrEqual(30_000_000);
    expect(named(calls, 'main.counted').map((call) => call.suspendedNs)).toEqual([undefined]);
    const stats = await client.ok('debug_query', { sessionId, view: 'stats' });
    expect(stats.text).toMatch(/self +suspended/);
  });

  itNeeds('go', '[go.waits] a call that waits says so while it does', async () => {
    const { sessionId } = await launch(client, home, buildTarget('e2e/waits.go'), {
      args: ['stay'],
      patterns: ['main.*'],
    });
    await vi.waitFor(
      async () => {
        const { text } = await client.ok('debug_query', { sessionId, view: 'tree' });
        expect(text).toMatch(/main\.received\(.*\) … suspended/);
      },
      { timeout: 60_000, interval: 200 },
    );
    await client.ok('debug_session', { action: 'stop', sessionId, graceMs: 0 });
  });

  itNeeds('go', '[go.sampling] a hot loop is counted whole and overwrites nothing', async () => {
    const run = await runToEnd(client, home, program(), { args: ['hot'], patterns: ['main.*'] });
    expect(run.exit).toEqual({ kind: 'exited', code: 0 });
    const { text } = await client.ok('debug_query', { sessionId: run.sessionId, view: 'stats' });
    // fib(10) and fib(27).
    expect(text).toMatch(/^\s*635,798\b.*\bmain\.fib\b/m);
    expect(text).toMatch(/^\s*808\b.*\bmain\.deep\b/m);
    expect(text).not.toMatch(/overwritten/);
    const whole = await runToEnd(client, home, program(), {
      args: ['hot'],
      patterns: [{ pattern: 'main.*', sampling: 'off' }],
    });
    const all = await client.ok('debug_query', { sessionId: whole.sessionId, view: 'stats' });
    expect(all.text).not.toMatch(/too fast|have no effect/);
  });

  itNeeds(
    'go',
    '[go.attach] a running program is attached to, hooked, unhooked, left as it was, and attached to again',
    async () => {
      await using running = await Running.start(program(), ['stay'], '11 <nil>');
      const attached = await client.ok('debug_launch', { pid: running.pid, patterns: ['main.*'] });
      const sessionId = String(at(attached.structured, 'sessionId'));
      await client.ok('debug_session', { action: 'wait', sessionId, for: ['event'] });
      for (let turn = 0; turn < 5; turn++) {
        await client.ok('debug_trace', { sessionId, remove: ['main.*'] });
        const added = await client.ok('debug_trace', { sessionId, add: ['main.*'] });
        expect(numberAt(added.structured, 'hookedFunctions')).toBeGreaterThan(5);
      }
      await client.ok('debug_session', { action: 'wait', sessionId, for: ['event'] });
      const calls = await callsOf(client, sessionId, { limit: 200 });
      expect(calls.filter(({ end }) => end === 'unwound')).toEqual([]);
      await client.ok('debug_session', { action: 'detach', sessionId });
      const again = await client.ok('debug_launch', { pid: running.pid, patterns: ['main.*'] });
      const second = String(at(again.structured, 'sessionId'));
      await client.ok('debug_session', { action: 'wait', sessionId: second, for: ['event'] });
      expect((await callsOf(client, second, { limit: 20 })).length).toBeGreaterThan(0);
      await client.ok('debug_session', { action: 'detach', sessionId: second });
      expect(running.isRunning).toBe(true);
    },
  );

  const story = async (how: string): Promise<string> => {
    const ending = buildTarget('e2e/ends.go');
    const run = await runToEnd(client, home, ending, {
      args: [how],
      patterns: ['main.*'],
      projectRoot: join(packageRoot, 'tests/targets/e2e'),
    });
    expect(run.exit).toEqual({ kind: 'exited', code: 2 });
    const { sessionId } = run;
    const { text } = await client.ok('debug_query', { sessionId, view: 'crash' });
    const status = await client.ok('debug_session', { action: 'status', sessionId });
    expect(status.text).toMatch(/! CRASHED: (?:panic|fatal error): /);
    return text;
  };

  itNeeds('go', '[go.crash] a panic is told with its stack and what was passed', async () => {
    const text = await story('panic');
    expect(text).toMatch(/^CRASH panic: too many: 3, in main\.check \(ends\.go:31\)$/m);
    expect(text).toMatch(/^stack of goroutine 1 \(running\)/m);
    expect(text).toMatch(/^ {2}#0 main\.check\(n=3\) {2}\S*ends\.go:31$/m);
  });

  itNeeds('go', '[go.crash] a nil pointer is told with the values of its calls', async () => {
    const text = await story('nil');
    expect(text).toMatch(/^CRASH panic: runtime error: .*nil pointer dereference, in main\.count/m);
    expect(text).toMatch(/^ {2}\[signal SIGSEGV/m);
    expect(text).toMatch(/^ {2}#1 main\.price\(order=.*Items=\["a"\].*factor=2\)/m);
  });

  itNeeds('go', '[go.crash] a deadlock is told with all goroutines', async () => {
    const text = await story('deadlock');
    expect(text).toMatch(/^CRASH fatal error: all goroutines are asleep - deadlock!/m);
    expect(text).toMatch(/goroutine \d+ in sync\.Mutex\.Lock: main\.take\(.*name="one"/);
    expect(text).toMatch(/goroutine \d+ in sync\.Mutex\.Lock: main\.take\(.*name="two"/);
    expect(text).toMatch(/goroutine \d+ in chan send: main\.send\(.*n=4\)/);
  });

  itNeeds('go', '[go.crash] a map that several write at once is told', async () => {
    const text = await story('maps');
    expect(text).toMatch(/^CRASH fatal error: concurrent map writes, in main\.write/m);
    expect(text).toMatch(/main\.write\(.*from=1/);
  });

  itNeeds('go', '[go.stuck] goroutines are listed by what they wait for', async () => {
    const { sessionId } = await launch(client, home, buildTarget('e2e/ends.go'), {
      args: ['stuck'],
      projectRoot: join(packageRoot, 'tests/targets/e2e'),
    });
    const text = await vi.waitFor(
      async () => {
        const status = await client.ok('debug_session', { action: 'status', sessionId });
        expect(status.text).toMatch(/goroutine \d+ waits for chan send at 0x\w+: main\.send/);
        expect(status.text).toMatch(/DEADLOCK/);
        return status.text;
      },
      { timeout: 60_000, interval: 100 },
    );
    const [, one = '', other = ''] =
      /^! DEADLOCK, likely: goroutine (\d+) waits for goroutine (\d+) waits for goroutine \1 /m.exec(
        text,
      ) ?? [];
    for (const number of [one, other])
      expect(text).toMatch(
        new RegExp(`goroutine ${number} waits for sync.Mutex.Lock at 0x\\w+: main.take ends.go:`),
      );
    expect(text).toMatch(/goroutine \d+ waits for sleep: main\.tick/);
    await client.ok('debug_session', { action: 'stop', sessionId, graceMs: 0 });
  });

  itNeeds('go', '[go.stuck] goroutines wait in a circle for channels', async () => {
    const circle =
      /DEADLOCK, likely: goroutine (\d+) waits for goroutine (\d+) waits for goroutine \1 /;
    const started = async (how: string) => {
      const { sessionId } = await launch(client, home, buildTarget('e2e/ends.go'), {
        args: [how],
        projectRoot: join(packageRoot, 'tests/targets/e2e'),
      });
      const text = await vi.waitFor(
        async () => {
          const status = await client.ok('debug_session', { action: 'status', sessionId });
          expect(status.text.match(/waits for chan receive at 0x\w+: main\.pass/g)).toHaveLength(2);
          expect(status.text).toMatch(/goroutine 1 waits for sleep: main\.tick/);
          return status.text;
        },
        { timeout: 60_000, interval: 100 },
      );
      await client.ok('debug_session', { action: 'stop', sessionId, graceMs: 0 });
      return text;
    };
    expect(await started('crossed')).toMatch(circle);
    expect(await started('served')).not.toMatch(/DEADLOCK/);
  });

  itNeeds(
    'go',
    '[test.traced] [test.events-go] each call of a traced go test names its test',
    async () => {
      const root = testProject(home, 'goShop');
      const answer = await runTests(client, root, { patterns: ['@usercode'] });
      expect(countsOf(answer), answer.text).toBe('3/1/0/0');
      const sessionId = textAt(answer.structured, 'sessionId');
      const totals = async (test: string): Promise<unknown[]> => {
        const calls = await callsOf(client, sessionId, {
          test,
          function: { equals: 'example.com/shop.Total' },
        });
        return calls.map((call) => call.arguments['prices']);
      };
      expect(await totals('TestTotal/two')).toEqual([[1, 2]]);
      expect(await totals('TestTotal/three')).toEqual([[1, 2, 3]]);
      expect(await totals('TestInGoroutine')).toEqual([[4], [5]]);
    },
  );

  itNeeds('go', '[test.diagnose-go] a failed test of Go is explained', async () => {
    const root = testProject(home, 'goShop');
    const answer = await runTests(client, root, { diagnose: true });
    expect(answer.text).toMatch(
      /suspects, the likeliest first:\n\s+1\. example\.com\/shop\.Discount\(total=10, percent=10\) = 10/,
    );
  });

  itNeeds(
    'go',
    '[test.diagnose-go] calls in goroutines that a server made are those of the test that runs alone',
    async () => {
      const root = testProject(home, 'goWeb');
      // A new machine compiles net/http first, with C and without.
      for (const tags of ['', 'netgo,osusergo'])
        execFileSync('go', ['test', '-run=^$', `-tags=${tags}`, '.'], { cwd: root });
      const answer = await runTests(client, root, { diagnose: true });
      expect(answer.text).toMatch(
        /1\. example\.com\/web\.Total\(prices=\[1, 2, 3\], discount=3\) = 3 /,
      );
    },
    300_000,
  );
});
