import { beforeAll, describe, expect, test } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

type Run = Awaited<ReturnType<typeof runToEnd>>;

describe('[symbols.statics] static functions of one name in two files of C', () => {
  const { home, client } = withClient();
  let usual: Run;
  const run = async (patterns: readonly string[], args: readonly string[] = []): Promise<Run> =>
    runToEnd(client, home, buildTarget('e2e/statics.c', [targetSource('e2e/staticsOther.c')]), {
      args,
      patterns,
    });
  beforeAll(async () => {
    usual = await run(['step', 'both']);
  });
  const ask = async (view: string, more: object = {}, { sessionId } = usual) =>
    client.ok('debug_query', { view, sessionId, ...more });
  const own = /statics\.c:7$/;
  const other = /staticsOther\.c:3$/;

  test('one pattern hooks both, each with its own place and figures', async () => {
    expect(usual.text).toMatch(/step: matched 2 · hooked 2/);
    expect(usual.text).toMatch(/step \S*\/statics\.c:7, step \S*\/staticsOther\.c:3/);
    const rows = listAt((await ask('stats')).structured, 'rows');
    const steps = rows.filter((row) => textAt(row, 'function') === 'step');
    for (const place of [own, other]) {
      const [row, ...more] = steps.filter((step) => place.test(textAt(step, 'place')));
      expect([at(row, 'count'), more]).toEqual([5, []]);
    }
    const sourceFile = { glob: '**/staticsOther.c' };
    const calls = await callsOf(client, usual.sessionId, { sourceFile });
    expect(calls.map((call) => call.arguments['value'])).toEqual([100, 101, 102, 103, 104]);
  });

  test('lines tell which of the two they are', async () => {
    const lines = async (view: string): Promise<string[]> =>
      (await ask(view)).text.split('\n').filter((line) => / step\(/.test(line));
    for (const view of ['tree', 'events']) {
      const shown = await lines(view);
      expect(
        shown.filter((line) => line.includes('/statics.c:7')),
        view,
      ).toHaveLength(1);
      expect(
        shown.filter((line) => line.includes('/staticsOther.c:3')),
        view,
      ).toHaveLength(1);
    }
  });

  test('the file hooks one of them alone', async () => {
    for (const [file, first] of [
      ['@file:**/staticsOther.c', 100],
      ['@file:statics.c', 0],
    ] as const) {
      const { sessionId } = await run([file]);
      const calls = await callsOf(client, sessionId, { function: { equals: 'step' } });
      const values = [0, 1, 2, 3, 4].map((round) => first + round);
      expect(calls.map((call) => call.arguments['value'])).toEqual(values);
    }
  });

  test('[query.diff] a diff compares each with itself', async () => {
    const again = await run(['step', 'both']);
    const equal = await ask('diff', { other: { sessionId: again.sessionId } });
    expect(equal.text).toContain('No difference');
    const swapped = await run(['step', 'both'], ['own']);
    const { structured, text } = await ask('diff', { other: { sessionId: swapped.sessionId } });
    const counts = listAt(structured, 'rows').map((row) => [
      textAt(row, 'key'),
      [at(row, 'here', 'count'), at(row, 'there', 'count')],
    ]);
    expect(Object.fromEntries(counts)).toEqual({
      'step(int) (statics.c)': [5, 6],
      'step(int) (staticsOther.c)': [5, 4],
    });
    expect(text).toMatch(/^step \(staticsOther\.c\) +calls 5 here, 4 there/m);
    expect(text).toMatch(/^ +here +step\(value=103\).*staticsOther\.c:3 /m);
    expect(text).toMatch(/^ +there +step\(value=103\).*\/statics\.c:7 /m);
  });
});
