import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { breakpointProgram } from '../support/breakpointProgram.ts';
import { itNeeds, underProof } from '../support/needs.ts';
import { pythons } from '../support/pythons.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { withClient } from '../support/suite.ts';
import { targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 60_000 });

/** By trace functions and by sys.monitoring, each at the ends of its range; all by proof. */
const tried = new Set([9, 11, 12, 14]);
const script = targetSource('python/inside.py');
const lines = readFileSync(script, 'utf8').split('\n');
const line = (text: string): number => lines.findIndex((one) => one.includes(text)) + 1;

describe.each(
  pythons
    .filter(({ minor, isSystem }) => !isSystem && (underProof || tried.has(minor)))
    .map(({ name, path }) => [name, path] as const),
)('breakpoints in Python %s', (_name, path) => {
  const { home, client } = withClient();

  const started = async (options: Readonly<Record<string, unknown>> = {}) =>
    breakpointProgram(client, home, path, { args: [script], ...options });

  itNeeds(
    'cpython',
    '[inside.python] locals, closures, fields and module variables are recorded at lines of a running program, in its threads, and nothing of it runs for that',
    async () => {
      const { place, say, end, hits, sessionId } = await started();
      const { text, structured } = await place(
        {
          file: 'inside.py',
          line: line('total += each'),
          condition: 'i == 2',
          log: '{item["name"]} each={each} total={total} rate={gConfig["rate"]} first={self.first}',
        },
        {
          function: 'inside.buy.<locals>.got',
          capture: { values: ['len(cart.items)'] },
        },
        { file: 'inside.py', statement: 'sold += total', invariant: 'sold >= 0' },
        { file: 'inside.py', line: line('if total > 25'), capture: { locals: true }, once: true },
        { file: 'inside.py', line: line('running.send'), log: 'rounds={rounds}' },
        { file: 'inside.py', line: line('print(answer'), log: 'answer={answer}' },
      );
      expect(text).toMatch(/b1 inside\.py:\d+ bound · python/);
      expect(listAt(structured, 'breakpoints').map((one) => at(one, 'state'))).toEqual(
        Array.from({ length: 6 }, () => 'bound'),
      );
      await say('3');
      await say('1');
      const output = await client.ok('debug_query', { view: 'output', sessionId });
      expect(output.text.split('7,18,59').length - 1).toBe(2);
      const all = await hits();
      const messagesOf = (id: string): string[] =>
        all.filter((hit) => textAt(hit, 'breakpoint') === id).map((hit) => textAt(hit, 'message'));
      const logged = '"n2" each=40 total=10 rate=2 first=<unset>';
      expect(messagesOf('b1')).toEqual([logged, logged]);
      expect(messagesOf('b5')).toEqual(['rounds=3', 'rounds=1']);
      // A generator that waited when the breakpoint came.
      expect(messagesOf('b6')).toEqual(['answer="7,18,59"', 'answer="7"']);
      const { structured: told } = await client.ok('debug_breakpoint', { sessionId });
      const counts = listAt(told, 'breakpoints').map((one) => [
        numberAt(one, 'hits'),
        numberAt(one, 'met'),
      ]);
      expect(counts).toEqual([
        [14, 2],
        [8, 8],
        [8, 6],
        [8, 1],
        [2, 2],
        [2, 2],
      ]);
      expect(JSON.stringify(all)).not.toContain('secret');
      expect(await end()).toEqual({ kind: 'exited', code: 0 });
    },
  );

  itNeeds(
    'cpython',
    '[inside.python-returns] invariants are checked at returns, by arguments, results and variables of the module, and lines of calls are recorded',
    async () => {
      const { sessionId, place, say, end, hits } = await started();
      await client.ok('debug_trace', {
        sessionId,
        add: [
          { pattern: 'inside.Cart.total', invariant: 'sold >= 0', lines: true },
          { pattern: 'inside.buy', invariant: 'return < 40' },
        ],
      });
      await place({ file: 'inside.py', line: 1000, log: 'x' });
      await say('3');
      const said = (await hits()).map((hit) => textAt(hit, 'breakpoint'));
      expect(said).toEqual(['i1', 'i2', 'i2']);
      const { structured, text } = await client.ok('debug_breakpoint', { sessionId });
      expect(text).toContain('inside.py has ');
      const counts = listAt(structured, 'breakpoints').map((one) => [
        textAt(one, 'id'),
        numberAt(one, 'hits'),
        numberAt(one, 'met'),
      ]);
      expect(counts).toContainEqual(['i1', 6, 4]);
      expect(counts).toContainEqual(['i2', 6, 2]);
      const tree = await client.ok('debug_query', { sessionId, view: 'tree', lines: true });
      expect(tree.text).toMatch(/:24 total \+= each.*×/);
      const missing = await client.call('debug_trace', {
        sessionId,
        add: [{ pattern: 'inside.Cart.total', invariant: 'solt >= 0' }],
      });
      expect(missing.text).toContain('"solt" is not in scope there: in scope are self, scale');
      expect(await end()).toEqual({ kind: 'exited', code: 0 });
    },
  );

  itNeeds(
    'cpython',
    '[inside.python-returns] forall walks a chain to None and a ring to its first, and names the element that breaks it',
    async () => {
      const args = [targetSource('python/walked.py')];
      const { sessionId, say, end, hits } = await breakpointProgram(client, home, path, { args });
      const walks = [
        'forall(self.first, it.next, it.key <= next.key)',
        'forall(self.first, it.next, it.key < 100)',
        'forall(self.ring, it.next, it.key == 0)',
        'forall(self.first, it.next, it.nonesuch > 0)',
      ];
      const spelled = ['walked.Chain.put', 'walked.Chain.pu*', 'walked.*.put', 'walked.Ch*.put'];
      await client.ok('debug_trace', {
        sessionId,
        add: walks.map((invariant, i) => ({ pattern: spelled[i], invariant })),
      });
      for (const key of [30, 20, 10, 15, 5, 200]) await say(String(key));
      const { structured } = await client.ok('debug_breakpoint', { sessionId });
      const counts = listAt(structured, 'breakpoints').map((one) => [
        numberAt(one, 'hits'),
        numberAt(one, 'met'),
      ]);
      // Those that broke it: 15 before 10 the order for good, 200 the limit; what an element does not have is never known.
      expect(counts).toEqual([
        [6, 3],
        [6, 1],
        [6, 0],
        [6, 6],
      ]);
      const broken = (await hits()).map((hit) => at(hit, 'arguments', 'it', 'key'));
      expect(broken).toEqual(expect.arrayContaining([15, 200]));
      const inside = await client.call('debug_trace', {
        sessionId,
        add: [
          {
            pattern: 'walked.Chain.put',
            invariant: 'forall(self.first, it.next, forall(self.ring, it.next, it.key == 0))',
          },
        ],
      });
      expect(inside.text).toContain('a forall() cannot be in another one');
      expect(await end()).toEqual({ kind: 'exited', code: 0 });
    },
  );

  itNeeds(
    'cpython',
    '[inside.python] what a breakpoint was in a process that has ended stands, also while the program that started it runs on',
    async () => {
      writeFileSync(
        join(home.project, 'short.py'),
        'def work(n):\n    return n + 1\nfor i in range(3):\n    work(i)\nprint("over", flush=True)\n',
      );
      const { structured } = await client.ok('debug_launch', {
        command: 'sh',
        args: ['-c', `${path} short.py; sleep 60`],
        cwd: home.project,
        projectRoot: home.project,
        breakpoints: [{ file: 'short.py', line: 2, log: 'n={n}' }],
      });
      const sessionId = textAt(structured, 'sessionId');
      await client.ok('debug_session', {
        action: 'wait',
        sessionId,
        for: ['output'],
        timeoutMs: 30_000,
      });
      await vi.waitFor(
        async () => {
          // Breakpoints are applied again, to no process of Python.
          const { text } = await client.ok('debug_breakpoint', {
            sessionId,
            add: [{ function: 'nowhere_at_all', log: 'here' }],
          });
          expect(text).toMatch(/b1 short\.py:2 bound · .*3 hits/);
        },
        { timeout: 30_000, interval: 500 },
      );
      await client.ok('debug_session', { action: 'stop', sessionId, graceMs: 0 });
    },
  );
});
