import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { at, listAt, textAt } from '../support/read.ts';
import { packageRoot, runStrobe } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { countsOf, failureOf, runTests } from '../support/testProjects.ts';

const manifest = '{"scripts":{"test":"node --test"}}';
const source = `const { it } = require('node:test');
it('depends', async () => {
  if (process.env.MODE === 'bad') throw new Error('bad luck');
  if (process.env.MODE === 'slow') await new Promise((then) => setTimeout(then, 60_000));
});
`;

describe('what earlier runs tell', () => {
  const { home, client } = withClient();

  function project(name: string): string {
    const root = join(home.project, name);
    mkdirSync(root);
    writeFileSync(join(root, 'package.json'), manifest);
    writeFileSync(join(root, 'luck.test.cjs'), source);
    return root;
  }

  test('[test.flaky] a failure is flaky on the code it passed on, also for the next daemon', async () => {
    const root = project('flaky');
    expect(countsOf(await runTests(client, root))).toBe('1/0/0/0');
    await runStrobe({ env: home.env, cwd: home.project }, ['daemon', 'stop']);
    const failed = await runTests(client, root, { env: { MODE: 'bad' } });
    expect(failureOf(failed, 'depends')).toMatchObject({ flaky: true, message: 'bad luck' });
    expect(failed.text).toContain('FLAKY: it also passed on this code');
    writeFileSync(join(root, 'luck.test.cjs'), `${source}// changed\n`);
    const changed = await runTests(client, root, { env: { MODE: 'bad' } });
    expect(at(failureOf(changed, 'depends'), 'flaky')).toBeUndefined();
  });

  test('[test.flaky] [test.progress] a test that takes longer than it ever did is told while it runs', async () => {
    const root = project('slow');
    writeFileSync(
      join(root, 'luck.test.cjs'),
      source.replace('it(', "it('quick', () => {});\nit("),
    );
    expect(countsOf(await runTests(client, root))).toBe('2/0/0/0');
    const running = await client.ok('debug_test', {
      projectRoot: root,
      waitMs: 40_000,
      env: { MODE: 'slow' },
    });
    expect(textAt(running.structured, 'state'), running.text).toBe('running');
    const hint = listAt(running.structured, 'stuck').find((one) =>
      /depends/.test(textAt(one, 'test')),
    );
    // Of a run that ends the SDK's client drops what comes together with the answer.
    expect(client.progress).toContainEqual(
      expect.stringMatching(
        /^running · 1 passed · now luck\.test\.cjs > depends · slowest quick \([\d.]+ .?s\)$/,
      ),
    );
    expect(textAt(hint, 'observed')).toMatch(/^runs for .*; it never took more than .* before$/);
    const testRunId = textAt(running.structured, 'testRunId');
    await client.ok('debug_test', { action: 'cancel', testRunId });
  });

  test('[test.retry] a test that passed only when it was tried again is named', async () => {
    const root = join(home.project, 'retried');
    mkdirSync(root);
    writeFileSync(join(root, 'package.json'), '{"type":"module","scripts":{"test":"vitest"}}');
    writeFileSync(
      join(root, 'luck.test.js'),
      `import { it } from 'vitest';
let times = 0;
it('works the second time', { retry: 2 }, () => {
  times += 1;
  if (times < 2) throw new Error('first');
});
it('works', () => {});
`,
    );
    symlinkSync(join(packageRoot, 'node_modules'), join(root, 'node_modules'));
    const answer = await runTests(client, root);
    expect(countsOf(answer)).toBe('2/0/0/0');
    expect(listAt(answer.structured, 'warnings')).toEqual([
      'FLAKY: passed only when tried again: works the second time',
    ]);
  });
});
