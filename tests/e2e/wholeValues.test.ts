import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { startClient, type TestClient } from '../support/client.ts';
import { openHome, type TestHome } from '../support/home.ts';
import { itNeeds } from '../support/needs.ts';
import { runToEnd } from '../support/runs.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** A captured value without what no program can print of itself: addresses. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value === 'string') return value.startsWith('<circular ref') ? 'circular' : value;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => name !== 'address');
  const [only] = fields;
  if (only?.[0] === 'value' && fields.length === 1 && 'address' in value) return bare(only[1]);
  return Object.fromEntries(fields.map(([name, inner]) => [name, bare(inner)]));
}

describe('whole values', () => {
  let home: TestHome;
  let client: TestClient;
  beforeAll(async () => {
    home = openHome();
    client = await startClient(home);
  });
  afterAll(async () => {
    await client.close();
    await home.close();
  });

  /** Each line the program printed, and what was captured of that call. */
  async function compared(
    program: string,
    pattern: string,
  ): Promise<readonly (readonly [string, unknown, unknown])[]> {
    const run = await runToEnd(client, home, program, { patterns: [{ pattern, depth: 3 }] });
    const calls = await callsOf(client, run.sessionId);
    const output = execFileSync(program, { encoding: 'utf8' });
    const printed = output.split('\n').filter((line) => line !== '');
    return printed.map((line) => {
      const [name, text] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' '))];
      const call = calls.find(({ function: own }) => own.split('::').at(-1) === name);
      // oxlint-disable-next-line typescript/no-unsafe-assignment -- the target writes what is compared.
      const wanted: Record<string, unknown> = JSON.parse(text);
      const { return: returned, ...given } = wanted;
      const captured = {
        ...Object.fromEntries(Object.entries(call?.arguments ?? {}).map(([k, v]) => [k, bare(v)])),
        ...(returned === undefined ? {} : { return: bare(call?.returns) }),
      };
      return [
        name,
        captured,
        { ...given, ...(returned === undefined ? {} : { return: returned }) },
      ];
    });
  }

  const builds = ['-O0 -gdwarf-5', '-O2 -gdwarf-5', '-O0 -gdwarf-4', '-O2 -gdwarf-4'];

  test.each(builds)('[values.whole] C, %s', async (flags) => {
    const program = buildTarget('e2e/wholeC.c', flags.split(' '));
    const all = await compared(program, '@file:**/wholeC.c');
    expect(all.map(([name]) => name)).toHaveLength(8);
    for (const [name, captured, printed] of all)
      expect({ [name]: captured }).toEqual({ [name]: printed });
  });

  test.each(builds)('[values.whole] C++, %s', async (flags) => {
    const program = buildTarget('e2e/wholeCpp.cpp', ['-std=c++20', ...flags.split(' ')]);
    const all = await compared(program, 'whole::*');
    expect(all.map(([name]) => name)).toHaveLength(8);
    for (const [name, captured, printed] of all)
      expect({ [name]: captured }).toEqual({ [name]: printed });
  });

  for (const flags of ['opt-level=0 dwarf-version=5', 'opt-level=2 dwarf-version=4']) {
    itNeeds('rustc', `[values.whole] Rust, ${flags}`, async () => {
      const codegen = flags.split(' ').flatMap((one) => ['-C', one]);
      const all = await compared(buildTarget('e2e/whole.rs', codegen), 'whole::whole::*');
      expect(all.map(([name]) => name)).toHaveLength(6);
      for (const [name, captured, printed] of all)
        expect({ [name]: captured }).toEqual({ [name]: printed });
    });
  }
});
