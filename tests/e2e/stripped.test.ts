import { expect, test } from 'vitest';
import { linesOf } from '../support/calls.ts';
import { runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

const { home, client } = withClient();

async function sameAsPlain(
  program: string,
  pattern: string,
): Promise<{ calls: string; told: string }> {
  const plain = await runProgram({ env: home.env, cwd: home.project }, [program]);
  const run = await runToEnd(client, home, program, { patterns: [pattern] });
  const lines = await linesOf(client, run.sessionId);
  expect(`${lines.map((line) => line.text).join('\n')}\n`).toBe(plain.stdout.toString());
  expect(run.exit).toEqual({ kind: 'exited', code: 0 });
  const { text } = await client.ok('debug_query', { view: 'stats', sessionId: run.sessionId });
  return { calls: text, told: run.text };
}

test('[symbols.nameless] a stripped program is traced by its call frames, and runs as untraced', async () => {
  const program = buildTarget('symbols/folded.c', ['-g0', '-s', '-O2'], 'foldedStripped');
  const { calls, told } = await sameAsPlain(program, 'sub_*');
  expect(told).toMatch(
    /\d of them have no name \(the file is stripped\): sub_ and the link-time address/,
  );
  expect(calls.match(/^ +1 .* sub_[0-9a-f]+$/gm)?.length).toBeGreaterThanOrEqual(3);
});

test('[symbols.nameless] calls of folded functions are recorded under one name, which the answer says', async () => {
  const flags = ['-ffunction-sections', '-fuse-ld=gold', '-Wl,--icf=all'];
  const program = buildTarget('symbols/folded.c', flags);
  const { calls, told } = await sameAsPlain(program, 'weightOf');
  expect(told).toContain('weightOf is also priceOf');
  expect(calls).toMatch(/^ +2 .* weightOf/m);
});

test('[symbols.nameless] an indirect function stands for what it is chosen from', async () => {
  const { told } = await sameAsPlain(buildTarget('symbols/indirect.c', ['-O0']), 'add');
  expect(told).toMatch(
    /add is chosen when it is loaded \(IFUNC\): traced is what it is chosen from/,
  );
});

test('[query.where] args[0] of a function without debug information is read by a condition, and said to be unknown later', async () => {
  const program = buildTarget('e2e/passed.c', ['-g0', '-O0'], 'passedBare');
  const patterns = [{ pattern: 'move', when: 'args[1] > 0' }];
  const { sessionId, text } = await runToEnd(client, home, program, { patterns });
  expect(text).not.toContain('cannot be decided');
  for (const filter of [{ argument: [{ name: 'args[0]', gt: 1 }] }, { where: 'args[0] > 1' }])
    expect((await client.refused('debug_query', { sessionId, ...filter })).text).toMatch(
      /they have no debug information[\s\S]*"when": "args\[0\] == 3"/,
    );
});
