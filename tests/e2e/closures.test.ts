import { describe, expect } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

/** A value without the addresses on the way to it. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  const behind = entries.find(([name]) => name === 'value');
  if (behind && entries.every(([name]) => name === 'value' || name === 'address'))
    return plain(behind[1]);
  return Object.fromEntries(entries.map(([name, inner]) => [name, plain(inner)]));
}

describe('closures of Rust', () => {
  const { home, client } = withClient();

  /** What the program printed of its closures' calls, and what was captured of them. */
  async function compared(
    flags: readonly string[],
  ): Promise<{ readonly said: unknown[]; readonly seen: unknown[] }> {
    const program = buildTarget('e2e/closures.rs', flags);
    const run = await runToEnd(client, home, program, { patterns: ['@file:closures.rs'] });
    const output = await client.ok('debug_query', {
      view: 'events',
      sessionId: run.sessionId,
      eventType: ['stdout'],
      limit: 100,
      budget: 20_000,
    });
    const lines = listAt(output.structured, 'events').map((event) => textAt(event, 'text'));
    const calls = await callsOf(client, run.sessionId);
    return {
      said: lines
        .flatMap((text) => text.split('\n'))
        .filter((line) => line !== '')
        .map((line): unknown => JSON.parse(line)),
      seen: calls
        .filter((call) => /\{closure#?\d*\}/.test(call.function) && !/run_once/.test(call.function))
        .map((call) => plain(call.arguments)),
    };
  }

  for (const edition of ['2018', '2021']) {
    for (const names of ['v0', 'legacy']) {
      const mangling = names === 'v0' ? ['-C', 'symbol-mangling-version=v0'] : [];
      const flags = ['--edition', edition, ...mangling, '-C'];
      const title = `edition ${edition}, ${names} names`;
      itNeeds(
        'rustc',
        `[values.closures] what they captured is what they print, ${title}`,
        async () => {
          const { said, seen } = await compared([...flags, 'opt-level=0']);
          expect(said).toHaveLength(15);
          expect(seen).toEqual(edition === '2021' ? said : said.map(withWholes));
        },
      );
      itNeeds(
        'rustc',
        `[values.closures] optimised, it is that or not known, ${title}`,
        async () => {
          const { said, seen } = await compared([...flags, 'opt-level=2']);
          // The compiler says only of this one where what it captured lies when it begins.
          expect(seen).toContainEqual({ captured: { k: 40 }, a: 1, b: 2.5 });
          for (const call of seen) {
            const like: unknown = expect.objectContaining(known(call));
            expect(said).toContainEqual(like);
          }
        },
      );
    }
  }
});

/** Before edition 2021 a structure is captured as a whole, where a field of it is used. */
function withWholes(call: unknown): unknown {
  const d = at(call, 'd');
  const address: unknown = expect.stringMatching(/^0x[0-9a-f]+$/);
  const self = { address, cents: 10 };
  return d === undefined ? call : { captured: { self }, d };
}

/** Without what was not captured. */
function known(call: unknown): Readonly<Record<string, unknown>> {
  const entries = Object.entries(call ?? {});
  return Object.fromEntries(entries.filter(([, value]) => !isUnknown(value)));
}

function isUnknown(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'notCaptured' in value;
}
