import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { ringDirectory } from '../../src/collector/rings/ringFolder.ts';
import { callsOf, linesOf, type SeenCall } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { Running } from '../support/running.ts';
import { launch, runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const numbers = (count: number, from: number): number[] =>
  Array.from({ length: count }, (_, i) => from + i);

const labelOf = (call: SeenCall): string => `${call.function}(${numberAt(call.arguments, 'n')})`;

/** What tests/targets/e2e/nestedC.go does: each call and by whom it is. */
function nestedCalls(): string[] {
  const all: string[] = [];
  const call = (name: string, n: number, by: string | undefined): string => {
    all.push(`${name}(${n}) < ${by}`);
    return `${name}(${n})`;
  };
  const scan = (n: number, by: string | undefined): void => {
    const own = call('scan', n, by);
    for (const given of [n, n + 1, n]) call('step', given, own);
  };
  const around = (n: number, by: string): void => {
    const own = call('around', n, by);
    for (const given of [n, n]) call('step', given, own);
    inner(n, own);
  };
  const inner = (n: number, by: string | undefined): void => {
    const own = call('main.inner', n, by);
    if (n % 10 > 0) around(n - 1, own);
    else scan(n, own);
  };
  for (let n = 2_000_000; n < 2_000_200; n += 10) {
    call('inThread', n, undefined);
    inner(n, undefined);
  }
  for (let who = 0; who < 12; who++)
    for (let round = 0; round < 20; round++) {
      const n = 1_000_000 + who * 10_000 + round * 10;
      const parse = call('main.parse', n, undefined);
      scan(n, parse);
      call('step', n, call('main.part', n, parse));
      scan(n, parse);
      for (let quiet = 0; quiet < 2; quiet++) scan(-n, undefined);
      around(n + 3, call('main.outer', n + 3, undefined));
      const rescued = call('main.rescued', n, undefined);
      call('broken', n, rescued);
      scan(n, rescued);
    }
  return all;
}

describe('programs of Go that have a loader', () => {
  const { home, client } = withClient();
  const patterns = ['main.*', 'inThread', 'twice'];
  const named = async (sessionId: string, name: string, query = {}): Promise<SeenCall[]> =>
    await callsOf(client, sessionId, { function: { equals: name }, ...query });

  for (const [what, flags] of [
    ['with C', []],
    ['with C, position-independent', ['-buildmode=pie']],
  ] as const)
    itNeeds(
      'go',
      `[go.cgo] ${what}: functions of Go and of C are traced together, and the run is as untraced`,
      async () => {
        const program = buildTarget('e2e/goAndC.go', flags);
        const untraced = spawnSync(program, [], { encoding: 'utf8' });
        const run = await runToEnd(client, home, program, { patterns });
        expect(run.exit).toEqual({ kind: 'exited', code: 3 });
        const lines = await linesOf(client, run.sessionId);
        expect(`${lines.map(({ text }) => text).join('\n')}\n`).toBe(untraced.stdout);
        const { sessionId } = run;
        expect(await named(sessionId, 'main.deep')).toHaveLength(20 * 201);
        expect(await named(sessionId, 'main.locked')).toHaveLength(20);
        const sums = (await named(sessionId, 'main.add')).map(({ returns }) => Number(returns));
        // By threads of C, then by those that end with their goroutine.
        expect(sums).toEqual([...numbers(40, 1), ...numbers(20, 1000)]);
        const inThread = await named(sessionId, 'inThread');
        expect(inThread.map(({ returns }) => returns)).toEqual(numbers(40, 1));
        const prices = await named(sessionId, 'main.price');
        expect(prices).toHaveLength(20);
        expect(prices[0]?.arguments).toMatchObject({ order: { Name: 'pen' } });
        for (const { arguments: given, returns } of prices)
          expect(returns).toBe(2 * numberAt(given, 'order', 'Count'));
        expect(await named(sessionId, 'twice')).toHaveLength(20);
        const reads = await named(sessionId, 'main.read');
        expect(reads).toHaveLength(20);
        for (const { returns } of reads)
          expect(JSON.stringify(at(returns, 'err'))).toContain('nil pointer');
      },
    );

  for (const [what, flags] of [
    ['with C', []],
    ['with C, position-independent', ['-buildmode=pie']],
  ] as const)
    itNeeds(
      'go',
      `[go.cgo] ${what}: each function of C hangs below the function of Go that called it, also in turn`,
      async () => {
        const program = buildTarget('e2e/nestedC.go', flags);
        const untraced = spawnSync(program, [], { encoding: 'utf8' });
        const ofGo = ['parse', 'part', 'outer', 'inner', 'rescued'].map((name) => `main.${name}`);
        const ofC = ['scan', 'step', 'around', 'broken', 'inThread'];
        const run = await runToEnd(client, home, program, { patterns: [...ofGo, ...ofC] });
        expect(run.exit).toEqual({ kind: 'exited', code: 5 });
        const { sessionId } = run;
        const lines = await linesOf(client, sessionId);
        expect(`${lines.map(({ text }) => text).join('\n')}\n`).toBe(untraced.stdout);
        const calls = await callsOf(client, sessionId);
        const labels = new Map(calls.map((call) => [call.id, labelOf(call)]));
        const seen = calls.map((call) => `${labelOf(call)} < ${labels.get(call.parent ?? '')}`);
        expect(seen.toSorted()).toEqual(nestedCalls().toSorted());
        const ends = calls.filter(({ end }) => end !== 'returned');
        expect(ends.map((call) => call.function)).toEqual(ends.map(() => 'broken'));
        expect(ends).toHaveLength(12 * 20);
      },
    );

  itNeeds(
    'go',
    '[go.cgo] 100,000 calls of C in bursts: each that is recorded hangs below its call of Go',
    async () => {
      const program = buildTarget('e2e/manyC.go', []);
      const { sessionId } = await runToEnd(client, home, program, {
        patterns: ['main.viaC', 'nop'],
      });
      const asked = { view: 'stats', sessionId };
      const counts = listAt((await client.ok('debug_query', asked)).structured, 'rows').map(
        (row) => `${textAt(row, 'function')} ${numberAt(row, 'count')}`,
      );
      expect(counts.toSorted()).toEqual(['main.viaC 100000', 'nop 100000']);
      const sql = `SELECT count(*) FROM calls c LEFT JOIN calls p ON p.id = c.parent_id
        WHERE c."end" != 'returned' OR (c.function_name = 'nop' AND p.function_name IS NOT 'main.viaC')
        OR (c.function_name = 'main.viaC' AND p.id IS NOT NULL)`;
      const { structured } = await client.ok('debug_query', { view: 'sql', sessionId, sql });
      expect(at(structured, 'rows')).toEqual([[0]]);
    },
  );

  const stringCalls = async (
    flags: readonly string[],
  ): Promise<Awaited<ReturnType<typeof runToEnd>>> => {
    const program = buildTarget('e2e/cStrings.go', flags);
    const untraced = spawnSync(program, [], { encoding: 'utf8' });
    const run = await runToEnd(client, home, program, { patterns: ['main.*', 'lengthOf'] });
    expect(run.exit).toEqual({ kind: 'exited', code: 4 });
    const lines = await linesOf(client, run.sessionId);
    expect(`${lines.map(({ text }) => text).join('\n')}\n`).toBe(untraced.stdout);
    const made = await named(run.sessionId, 'main._Cfunc_CString');
    expect(made.map((call) => call.arguments['s'])).toEqual(['ink', 'fountain pen']);
    const allocated = await named(run.sessionId, 'main._cgo_cmalloc');
    expect(allocated.map((call) => call.arguments['p0'])).toEqual([4, 13]);
    return run;
  };

  itNeeds(
    'go',
    '[go.cgo] shows the arguments of C.CString, which cgo makes as a function of Go',
    async () => {
      const { sessionId } = await stringCalls([]);
      const measured = await named(sessionId, 'lengthOf');
      expect(measured.map(({ returns }) => returns)).toEqual([3, 12]);
    },
  );

  itNeeds(
    'go',
    '[go.cgo] C in a static program of Go is refused with the reason and what works',
    async () => {
      const run = await stringCalls(['-ldflags=-linkmode=external -extldflags=-static']);
      expect(run.text).toMatch(
        /refused: lengthOf: it is code of C in a static program of Go[\s\S]*link the program dynamically/,
      );
    },
  );

  itNeeds(
    'go',
    '[go.cgo] says that functions of a plugin are not traced and what works, also where it ends soon after',
    async () => {
      const plugin = buildTarget('e2e/plug.go', ['-buildmode=plugin']);
      const program = buildTarget('e2e/plugged.go');
      for (const asked of ['main.own', 'plug!**TripleOf']) {
        const run = await runToEnd(client, home, program, { args: [plugin], patterns: [asked] });
        expect(run.exit).toEqual({ kind: 'exited', code: 0 });
        const { sessionId } = run;
        expect((await linesOf(client, sessionId)).map(({ text }) => text)).toEqual(['2 6']);
        const { text } = await client.ok('debug_session', { action: 'status', sessionId });
        expect(text).toContain('Functions of Go in plugins (package plugin) are not traced');
        expect(await callsOf(client, sessionId)).toHaveLength(asked === 'main.own' ? 1 : 0);
        if (asked !== 'main.own')
          expect(text).toMatch(/refused: .*TripleOf: it is code of Go in a plugin .*go test/);
      }
    },
  );

  itNeeds('go', '[go.cgo] its rings take no memory before their time', async () => {
    const program = buildTarget('e2e/goAndC.go');
    const { sessionId } = await launch(client, home, program, {
      args: ['calm'],
      patterns: ['main.price'],
    });
    const folder = ringDirectory(sessionId);
    const rings = readdirSync(folder).map((name) => statSync(join(folder, name)));
    // Entering it reads what is mapped, which would take memory for each page.
    expect(Math.max(...rings.map(({ size }) => size))).toBeGreaterThan(1 << 29);
    expect(rings.reduce((sum, { blocks }) => sum + blocks * 512, 0)).toBeLessThan(1 << 28);
    await client.ok('debug_session', { action: 'stop', sessionId, graceMs: 0 });
  });

  itNeeds(
    'go',
    '[go.cgo] a running one is attached to, hooked, unhooked and left as it was',
    async () => {
      await using running = await Running.start(buildTarget('e2e/goAndC.go'), ['stay'], '21010');
      const attached = await client.ok('debug_launch', { pid: running.pid, patterns });
      const sessionId = String(at(attached.structured, 'sessionId'));
      for (let turn = 0; turn < 5; turn++) {
        await client.ok('debug_trace', { sessionId, remove: ['main.*'] });
        const added = await client.ok('debug_trace', { sessionId, add: ['main.*'] });
        expect(numberAt(added.structured, 'hookedFunctions')).toBeGreaterThan(5);
      }
      for (const name of ['main.price', 'main.add', 'inThread'])
        await expect.poll(async () => named(sessionId, name, { limit: 1 })).toHaveLength(1);
      await client.ok('debug_session', { action: 'detach', sessionId });
      expect(running.isRunning).toBe(true);
    },
  );
});
