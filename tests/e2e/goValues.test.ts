import { describe, expect, vi } from 'vitest';
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

/** A map as answers have it: with texts or numbers as keys an object, else pairs in some order. */
function shown(value: unknown): unknown {
  const isMap = Array.isArray(value) && value.every((one) => Array.isArray(one));
  if (!isMap) return value;
  const isPlain = value.every(([key]) => typeof key !== 'object');
  return isPlain ? Object.fromEntries(value) : value.toSorted(byText);
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

describe('values of Go', () => {
  const { home, client } = withClient();

  const stage = async (watches: readonly string[]) =>
    client.ok('debug_trace', {
      pending: true,
      add: ['look'],
      watches: { add: watches.map((expr) => ({ expr, on: 'look', at: 'enter' })) },
    });

  const seenAt = async (program: string): Promise<readonly unknown[]> => {
    const { sessionId, exit } = await runToEnd(client, home, program);
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    const { structured } = await client.ok('debug_query', {
      view: 'events',
      sessionId,
      function: { equals: 'look' },
      eventType: ['function_enter'],
      budget: 20_000,
    });
    const events = listAt(structured, 'events');
    expect(events.length).toBe(2);
    return events;
  };

  itNeeds('go', '[watch.go] globals are what the program prints', async () => {
    const program = buildTarget('e2e/globals.go');
    const printed = await printedBy(program, home);
    expect(printed.size).toBeGreaterThan(25);
    await stage([...printed.keys()]);
    const events = await seenAt(program);
    for (const [expr, values] of printed) {
      const seen = events.map((event) => JSON.stringify(at(event, 'watchValues', expr)));
      expect([expr, seen]).toEqual([expr, values]);
    }
  });

  itNeeds(
    'go',
    '[watch.go] maps, channels and what interfaces hold are what the program prints',
    async () => {
      const program = buildTarget('e2e/holders.go');
      const printed = await printedBy(program, home);
      expect(printed.size).toBeGreaterThan(20);
      await stage([...printed.keys()]);
      const events = await seenAt(program);
      for (const [expr, values] of printed) {
        const seen = events.map((event) => shown(at(event, 'watchValues', expr)));
        expect([expr, ...seen]).toEqual([expr, ...values.map((value) => shown(JSON.parse(value)))]);
      }
    },
  );

  itNeeds('go', '[watch.go] what is not known of a value is left out', async () => {
    await stage([
      'main.large',
      'main.wide',
      'main.failure',
      'main.missing',
      'main.roundOne',
      'main.queue',
      'main.callback',
    ]);
    const [first, second] = await seenAt(buildTarget('e2e/holders.go'));
    const address: unknown = expect.stringMatching(/^0x[0-9a-f]+$/);
    expect(at(first, 'watchValues')).toEqual({
      'main.large': {},
      'main.wide': { 7: [1, 2, 0, 0, 0, 0, 0, 0, '…(+12)'] },
      'main.failure': { '*errors.errorString': { address, s: 'broken pipe' } },
      'main.missing': {
        '*io/fs.PathError': {
          address,
          Op: 'open',
          Path: '/x',
          Err: { '*errors.errorString': { address, s: 'file does not exist' } },
        },
      },
      // Only a table of methods tells its type, which nothing describes.
      'main.roundOne': { 'main.disc': address },
      'main.queue': [],
      'main.callback': null,
    });
    const large = Object.entries(at(second, 'watchValues', 'main.large') ?? {});
    expect(large.pop()).toEqual(['…', '…(+2992)']);
    expect(large.length).toBe(8);
    for (const [key, value] of large) expect(value).toBe(Number(key) * 2);
    expect(at(second, 'watchValues', 'main.queue')).toEqual([6, 7]);
    expect(at(second, 'watchValues', 'main.callback')).toBe('&main.triple');
  });

  itNeeds('go', '[watch.go] what has no value to watch is refused with the reason', async () => {
    await stage(['main.ages[0]', 'main.failure.s', 'main.txt', 'flag']);
    const { structured } = await launch(client, home, buildTarget('e2e/globals.go'));
    const notes = listAt(structured, 'hooks', 'activeWatches').map((watch) =>
      [textAt(watch, 'label'), textAt(watch, 'state'), ...listAt(watch, 'notes')].join(' '),
    );
    const name =
      'No variable of the loaded modules, and no parameter of a traced function, is named';
    expect(notes).toEqual([
      'main.ages[0] refused main.ages[0] cannot be watched: main.ages cannot be indexed.',
      'main.failure.s refused main.failure.s cannot be watched: main.failure has no field "s": none of them are known.',
      expect.stringMatching(`^main.txt pending ${name} main.txt. Nearest: main.text`),
      `flag pending ${name} flag. Nearest: main.flag.`,
    ]);
  });
});
