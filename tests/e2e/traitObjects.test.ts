import { describe, expect } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('trait objects of Rust', () => {
  const { home, client } = withClient();

  /** Calls with what their parameters lead to, without addresses and vtables. */
  async function given(
    flags: readonly string[],
    depth: number,
  ): Promise<readonly { readonly name: string; readonly value: unknown }[]> {
    const program = buildTarget(
      'e2e/traitObjects.rs',
      flags.flatMap((flag) => ['-C', flag]),
    );
    const run = await runToEnd(client, home, program, {
      patterns: [{ pattern: 'traitObjects::shown::*', depth }],
    });
    expect(run.exit).toEqual({ kind: 'exited', code: 0 });
    const calls = await callsOf(client, run.sessionId);
    return calls.map((call) => {
      const [value] = Object.values(call.arguments);
      return { name: call.function.replace(/^.*::/, ''), value: plain(value) };
    });
  }

  const circle = (radius: number): unknown => ({ class: 'traitObjects::Circle', radius });
  const wide = (...sides: readonly number[]): unknown => ({ class: 'traitObjects::Wide', sides });
  const named = (id: number, inner: unknown): unknown => ({
    class: 'traitObjects::Named',
    id,
    name: `n${id}`,
    inner,
  });
  const unread: unknown = expect.stringMatching(/^0x[0-9a-f]+$/);

  for (const flags of [['opt-level=0'], ['opt-level=2'], ['opt-level=2', 'dwarf-version=5']]) {
    itNeeds(
      'rustc',
      `[values.traits] have their type and its value, ${flags.join(' ')}`,
      async () => {
        const closure: unknown = expect.stringMatching(/^traitObjects::main::\{closure_env#\d\}$/);
        expect(await given(flags, 2)).toEqual([
          { name: 'borrowed', value: circle(2.5) },
          { name: 'borrowed', value: named(1, { Some: circle(1) }) },
          { name: 'borrowed', value: -7 },
          // It takes no space.
          { name: 'borrowed', value: unread },
          { name: 'changed', value: wide(1, 2, 3) },
          { name: 'boxed', value: named(2, 'None') },
          { name: 'counted', value: named(3, 'None') },
          { name: 'counted', value: wide(4, 5, 6) },
          { name: 'shared', value: circle(0.25) },
          { name: 'all', value: [circle(3), wide(7, 8, 9)] },
          { name: 'worked', value: { class: closure, k: 40, name: 'anna' } },
          { name: 'wild', value: '0x10' },
        ]);
      },
    );
  }

  itNeeds('rustc', '[values.traits] no deeper than was asked for', async () => {
    const [, first] = await given(['opt-level=0'], 1);
    expect(first).toEqual({ name: 'borrowed', value: named(1, { Some: unread }) });
    const [, unfollowed] = await given(['opt-level=0'], 0);
    expect(unfollowed).toEqual({ name: 'borrowed', value: unread });
  });
});

/** Of a trait object what it leads to; of other values the same of their parts. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  if ('pointer' in value && 'vtable' in value) return plain(value.pointer);
  const entries = Object.entries(value).filter(([name]) => name !== 'address');
  const [only] = entries;
  if (only?.[0] === 'value' && entries.length === 1) return plain(only[1]);
  return Object.fromEntries(entries.map(([name, inner]) => [name, plain(inner)]));
}
