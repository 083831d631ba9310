import { describe, expect } from 'vitest';
import { z } from 'zod';
import { callsOf } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('futures of Rust', () => {
  const { home, client } = withClient();

  /** What steps said of the future they went on with, and what was seen of it when they began, each by its function. */
  async function compared(
    level: string,
  ): Promise<{ readonly said: Step[]; readonly seen: readonly Call[] }> {
    const program = buildTarget('e2e/futures.rs', ['--edition', '2021', '-C', level]);
    const patterns = [{ pattern: 'futures::**', depth: 3 }];
    const run = await runToEnd(client, home, program, { patterns });
    const output = await client.ok('debug_query', {
      view: 'events',
      sessionId: run.sessionId,
      eventType: ['stdout'],
      limit: 100,
      budget: 20_000,
    });
    const said = listAt(output.structured, 'events')
      .flatMap((event) => textAt(event, 'text').trim().split('\n'))
      .map((line) => step.parse(JSON.parse(line)));
    const calls = await callsOf(client, run.sessionId);
    const seen = calls.flatMap((call) => {
      const body = /(\w+)::\{async_(?:fn|block)#0\}$/.exec(call.function)?.[1];
      return body === undefined ? [] : [{ body, future: at(call.arguments, 'future') }];
    });
    return { said, seen };
  }

  itNeeds(
    'rustc',
    '[values.futures] each step shows where its future waited, and with what',
    async () => {
      const { said, seen } = await compared('opt-level=0');
      expect(said).toHaveLength(8);
      for (const body of ['settle', 'main'])
        expect(seen.filter((call) => call.body === body).map(({ future }) => future)).toEqual(
          said.filter(([of]) => of === body).map(asShown),
        );
      const both = seen.filter((call) => call.body === 'both').map(({ future }) => stateOf(future));
      expect(both).toEqual([
        'Unresumed',
        'Suspend0@48',
        'Suspend0@48',
        'Suspend1@51',
        'Suspend1@51',
      ]);
    },
  );

  itNeeds('rustc', '[values.futures] optimised, it is that or not known', async () => {
    const { said, seen } = await compared('opt-level=2');
    const steps = seen.filter(({ body }) => body !== 'both');
    expect(steps).toHaveLength(8);
    for (const { future } of steps)
      expect([
        ...said.map(asShown),
        expect.objectContaining({ notCaptured: anyText }),
      ]).toContainEqual(future);
  });
});

/** The function, the state, and some of the variables. */
const step = z.tuple([z.string(), z.string(), z.record(z.string(), z.unknown())]);
type Step = z.infer<typeof step>;

interface Call {
  readonly body: string;
  readonly future: unknown;
}

const anyText: unknown = expect.any(String);

function asShown([, state, variables]: Step): unknown {
  const held: unknown = expect.objectContaining(variables);
  return { address: anyText, value: { [state]: held } };
}

function stateOf(future: unknown): string {
  const value = at(future, 'value');
  return typeof value === 'string' ? value : (Object.keys(value ?? {})[0] ?? '');
}
