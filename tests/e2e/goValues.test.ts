import { describe, expect, vi } from 'vitest';
import type { TestClient } from '../support/client.ts';
import type { TestHome } from '../support/home.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { launch, runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

/** What each expression is in each round, as the program prints it itself. */
async function printedBy(
  program: string,
  home: TestHome,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { stdout } = await runProgram({ env: home.env, cwd: home.project }, [program]);
  const printed = new Map<string, string[]>();
  for (const line of stdout.toString().split('\n')) {
    const [, expr = '', value = ''] = /^\d (\S+) (.*)$/.exec(line) ?? [];
    if (expr !== '') printed.set(expr, [...(printed.get(expr) ?? []), value]);
  }
  return printed;
}

describe('values of Go', () => {
  let home: TestHome;
  let client: TestClient;
  withClient((opened) => ({ home, client } = opened));

  const stage = async (watches: readonly string[]) =>
    client.ok('debug_trace', {
      ...{ pending: true, add: ['look'] },
      watches: { add: watches.map((expr) => ({ expr, on: 'look', at: 'enter' })) },
    });

  itNeeds('go', '[watch.go] globals are what the program prints', async () => {
    const program = buildTarget('e2e/globals.go');
    const printed = await printedBy(program, home);
    expect(printed.size).toBeGreaterThan(25);
    await stage([...printed.keys()]);
    const { sessionId, exit } = await runToEnd(client, home, program);
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    const { structured } = await client.ok('debug_query', {
      ...{ view: 'events', sessionId, function: { equals: 'look' } },
      ...{ eventType: ['function_enter'], budget: 20_000 },
    });
    const events = listAt(structured, 'events');
    expect(events.length).toBe(2);
    for (const [expr, values] of printed) {
      const seen = events.map((event) => JSON.stringify(at(event, 'watchValues', expr)));
      expect([expr, seen]).toEqual([expr, values]);
    }
  });

  itNeeds('go', '[watch.go] what has no value to watch is refused with the reason', async () => {
    await stage(['main.numbers', 'main.failure', 'main.txt', 'flag']);
    const { structured } = await launch(client, home, buildTarget('e2e/globals.go'));
    const notes = listAt(structured, 'hooks', 'activeWatches').map((watch) =>
      [textAt(watch, 'label'), textAt(watch, 'state'), ...listAt(watch, 'notes')].join(' '),
    );
    const name =
      'No variable of the loaded modules, and no parameter of a traced function, is named';
    expect(notes).toEqual([
      'main.numbers refused main.numbers cannot be watched: main.numbers ([]int) is more than a number or a text: watch an element, or len().',
      'main.failure refused main.failure cannot be watched: main.failure (runtime.iface) is more than a number or a text: name a field of it (tab, data).',
      expect.stringMatching(`^main.txt pending ${name} main.txt. Nearest: main.text`),
      `flag pending ${name} flag. Nearest: main.flag.`,
    ]);
  });
});
