import { describe, expect, test } from 'vitest';
import { at, listAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

const traced = [
  'main',
  'after',
  'surface',
  'dive',
  'wide',
  'widely',
  'escape',
  'faults',
  'guarded',
  'yields',
  'step',
  'resume',
];

interface Call {
  readonly name: string;
  readonly depth: number;
  readonly parent: Call | undefined;
  readonly end: string;
  readonly from: number;
  /** Infinity: it has not ended. */
  readonly to: number;
}

describe('longjmp', () => {
  const { home, client } = withClient();

  /** The calls of a run that says what it says untraced, in order; each lies within its caller. */
  async function callsOf(way: string, flags: readonly string[] = []): Promise<Call[]> {
    const program = buildTarget('e2e/jumps.c', flags);
    const plain = await runProgram({ env: home.env, cwd: home.project }, [program, way]);
    const options = { args: [way], patterns: traced };
    const { sessionId, exit } = await runToEnd(client, home, program, options);
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    const output = await client.ok('debug_query', { view: 'output', sessionId });
    expect(output.text).toContain(plain.stdout.toString().trim());
    const sql = 'SELECT id, parent_id, function_name, end, timestamp_ns, duration_ns FROM calls';
    const answer = await client.ok('debug_query', { view: 'sql', sessionId, sql, budget: 20_000 });
    const calls = new Map<string, Call>();
    const rows = listAt(answer.structured, 'rows')
      .map((row) => Array.from({ length: 6 }, (_, column) => at(row, String(column))))
      .toSorted(([a], [b]) => placeOf(a) - placeOf(b));
    for (const [id, above, name, end, time, duration] of rows) {
      const parent = calls.get(String(above));
      const from = Number(time);
      const to = duration === null ? Infinity : from + Number(duration);
      const depth = (parent?.depth ?? -1) + 1;
      calls.set(String(id), { name: String(name), depth, parent, end: String(end), from, to });
    }
    return [...calls.values()];
  }

  const placeOf = (id: unknown) => Number(String(id).split('.')[1]);

  /** Callers by indentation; what is left by a jump, and what is open, is marked. */
  function drawn(calls: readonly Call[]): string[] {
    const marks = new Map([
      ['jumped', ' ✗'],
      ['open', ' …'],
    ]);
    return calls.map(
      ({ name, depth, end }) => `${'  '.repeat(depth)}${name}${marks.get(end) ?? ''}`,
    );
  }

  /** A call that was jumped over ends when its callees do, and before its caller does. */
  function expectEndsAtJumps(calls: readonly Call[]): void {
    const jumped = calls.filter(({ end }) => end === 'jumped');
    expect(jumped.length).toBeGreaterThan(0);
    for (const { parent, from, to } of jumped) {
      expect(to).toBeGreaterThanOrEqual(from);
      if (parent?.end === 'jumped') expect(to).toBe(parent.to);
      else if (parent) expect(to).toBeLessThanOrEqual(parent.to);
    }
    const behind = calls.filter(({ name }) => name === 'after');
    for (const { parent, from } of behind)
      for (const call of jumped)
        if (call.parent === parent) expect(call.to).toBeLessThanOrEqual(from);
  }

  const builds = { longjmp: ['-O1'], __longjmp_chk: ['-O2', '-D_FORTIFY_SOURCE=2'] };
  for (const [jump, flags] of Object.entries(builds)) {
    test(`[trace.jumps] calls that ${jump} leaves end at the jump, and deeper calls hang below their own caller`, async () => {
      const calls = await callsOf('nested', flags);
      expect(drawn(calls)).toEqual([
        'main',
        '  surface',
        '    dive ✗',
        '      dive ✗',
        '        dive ✗',
        '          dive ✗',
        '    after',
        '  widely',
        '    wide ✗',
        '      dive ✗',
        '        dive ✗',
        '          dive ✗',
        '    after',
        '  dive ✗',
        '    dive ✗',
        '  after',
      ]);
      expectEndsAtJumps(calls);
    });

    test(`[trace.jumps] ${jump} out of signal handlers, on the stack that was interrupted and on others`, async () => {
      const once = [
        '  guarded',
        '    escape ✗',
        '    after',
        '  guarded',
        '    faults ✗',
        '      escape ✗',
        '    after',
      ];
      for (const [way, times] of [
        ['handler', 1],
        ['signalStack', 2],
      ] as const) {
        const calls = await callsOf(way, flags);
        expect(drawn(calls)).toEqual(['main', ...Array.from({ length: times }, () => once).flat()]);
        expectEndsAtJumps(calls);
      }
    });
  }

  test('[trace.jumps] coroutines that jump to one another keep their calls, and those of others', async () => {
    const calls = await callsOf('routines', ['-O1']);
    // A routine's first call hangs below the call that ran when it was first entered.
    expect(drawn(calls)).toEqual([
      'main',
      '  resume',
      '    step',
      '      yields',
      '        step',
      '          yields',
      '            step',
      '              yields',
      '  resume',
      '      step',
      '        yields',
      '          step',
      '            yields',
      '              step',
      '                yields',
      '  resume',
      '        step',
      'yields',
      '            step',
      'yields',
      '                step',
      'yields',
      '  resume',
      'step …',
      '  yields …',
      'step …',
      '  yields …',
      'step …',
      '  yields …',
      '  after',
    ]);
    for (const { parent, to } of calls)
      if (parent && parent.end !== 'open' && parent.name === 'step')
        expect(to).toBeLessThanOrEqual(parent.to);
  });
});
