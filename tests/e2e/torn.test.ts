import { describe, expect, test } from 'vitest';
import { callsOf, type SeenCall } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { listAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildByClang, buildTarget, libcxxFlags } from '../support/targets.ts';

const torn = '<torn: it changed while it was copied>';
const address: unknown = expect.stringMatching(/^0x[0-9a-f]+$/);

describe('containers that do not fit together', () => {
  const { home, client } = withClient();

  async function traced(
    program: string,
    pattern: string,
  ): Promise<{ of: (name: string) => unknown[]; calls: readonly SeenCall[] }> {
    const { sessionId } = await runToEnd(client, home, program, { patterns: [pattern] });
    const calls = await callsOf(client, sessionId);
    const named = (name: string) => calls.filter((call) => call.function.endsWith(`::${name}`));
    return { of: (name) => named(name).map((call) => call.arguments), calls: named('moved') };
  }

  const all = (value: unknown): unknown => ({ all: { address, value } });

  /** `clearing`: of a list that is seen while it is cleared. */
  async function areTold(program: string, clearing: readonly unknown[]): Promise<void> {
    const { of, calls } = await traced(program, 'shop::*');
    expect(of('listed')).toEqual([
      all([3, 1, 2]),
      all([3, 1, 2, '…(+2)', torn]),
      all([3, 1, 2, torn]),
      all([3, '…(+2)', torn]),
    ]);
    const map = { 1: 10, 2: 20 };
    expect(of('mapped')).toEqual([all(map), all({ ...map, '…': `…(+1) ${torn}` })]);
    expect(of('grouped')).toEqual([all([5, 6, 7]), all([5, 6, 7, torn])]);
    expect(of('hashed')).toEqual([all({ 8: 80 }), all({ 8: 80, '…': `…(+3) ${torn}` })]);
    const unreadable: unknown = expect.stringContaining('vector<int');
    expect(of('rowed')).toEqual([{ all: [4, 5, 6] }, { all: { unreadable } }]);
    expect(of('queued')).toEqual([all([7, 8, 9])]);
    expect(of('clearing')).toEqual([all(clearing)]);

    // Whatever the other thread did meanwhile: a list that is told as whole is one that there was.
    expect(calls.length).toBeGreaterThanOrEqual(2_000);
    const odd = Array.from({ length: 20 }, (_unused, i) => 1001 + 2 * i);
    const wholes = calls
      .map((call) => listAt(call.arguments, 'all', 'value'))
      .filter((items) => !items.includes(torn));
    const seen = new Set(wholes.map((items) => JSON.stringify(items)));
    for (const whole of [odd, odd.slice(1)]) seen.delete(JSON.stringify(whole));
    expect([...seen]).toEqual([]);
  }

  test('[values.torn] libstdc++', async () => {
    // What a freed node led to is no address any more.
    await areTold(buildTarget('e2e/torn.cpp'), [{ number: 1 }, '…(+4)', torn]);
  });

  itNeeds('libcxx', "[values.torn] LLVM's library", async () => {
    // It is made empty before its nodes go.
    await areTold(buildByClang('e2e/torn.cpp', [...libcxxFlags, '-pthread']), []);
  });

  itNeeds('rustc', '[values.torn] Rust', async () => {
    const { of } = await traced(buildTarget('e2e/torn.rs'), 'torn::*');
    const map = { 0: 0, 1: 10, 2: 20, 3: 30, 4: 40 };
    expect(of('mapped')).toEqual([all(map), all({ ...map, '…': `…(+1) ${torn}` })]);
    expect(of('ordered')).toEqual([
      all(map),
      all({ ...map, '…': `…(+3) ${torn}` }),
      all({ ...map, '…': torn }),
    ]);
    expect(of('queued')).toEqual([all([3, 1, 2]), all(['…(+9)', torn])]);
  });
});
