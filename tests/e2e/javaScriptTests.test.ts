import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../support/client.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { packageRoot } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { countsOf, failureOf, filesOf, runTests, testProject } from '../support/testProjects.ts';

const suite = "require('./suite.cjs').suite";
const expecting = '{ describe, it, equal: (a, b) => expect(a).toBe(b) }';
const asserting = "{ describe, it, equal: require('node:assert').strictEqual }";

/** Where scripts/frameworks.mjs puts frameworks. */
const installed = join(packageRoot, '.cache', 'frameworks', 'node_modules');

/** One suite under each framework: the file it is called from, and how the framework is found. */
const frameworks = {
  vitest: {
    file: 'cart.test.js',
    source: `import { describe, it, expect } from 'vitest'; import s from './suite.cjs'; s.suite(${expecting});`,
    manifest: { devDependencies: { vitest: '*' } },
    packages: join(packageRoot, 'node_modules'),
  },
  node: {
    file: 'cart.test.cjs',
    source: `const { describe, it } = require('node:test'); ${suite}(${asserting});`,
    manifest: { scripts: { test: 'node --test' } },
    packages: null,
  },
  jest: {
    file: 'cart.test.js',
    source: `${suite}(${expecting});`,
    manifest: { devDependencies: { jest: '*' } },
    packages: installed,
  },
  mocha: {
    file: 'test/cart.test.cjs',
    source: `${suite.replace('./', '../')}(${asserting});`,
    manifest: { devDependencies: { mocha: '*' }, mocha: { extension: ['cjs'] } },
    packages: installed,
  },
} as const;

describe('tests of JavaScript projects', () => {
  const { home, client } = withClient();

  async function check(name: keyof typeof frameworks): Promise<void> {
    const { file, source, manifest, packages } = frameworks[name];
    const root = testProject(home, 'javaScript', name, file.includes('/') ? ['test'] : []);
    writeFileSync(join(root, file), source);
    writeFileSync(join(root, 'package.json'), JSON.stringify(manifest));
    if (packages !== null) symlinkSync(packages, join(root, 'node_modules'));
    // Vitest keeps the durations of tests there, as it does without us.
    const own = (): string[] => filesOf(root).filter((path) => !path.includes('/.vite'));
    const before = own();
    const answer = await runTests(client, root);
    expect(at(answer.structured, 'framework')).toBe(name);
    expect(countsOf(answer), answer.text).toBe('2/2/1/0');
    const total = failureOf(answer, 'Cart > adds up');
    expect(total).toMatchObject({ expected: '6', actual: '2' });
    const refuses = failureOf(answer, 'Cart > refuses (a+b) prices');
    expect(textAt(refuses, 'message')).toBe('RangeError: price below zero: -1');
    expect(listAt(refuses, 'stackTrace')[0]).toMatch(/^cart\.cjs:5 .*add$/);
    expect(listAt(refuses, 'suggestedTraces')).toEqual([expect.stringMatching(/^Cart\.add$/)]);
    const failed = await runTests(client, root, { rerunFailed: true });
    expect(countsOf(failed), failed.text).toBe('0/2/0/0');
    expect(own()).toEqual(before);
    writeFileSync(join(root, file), 'not { a program');
    const broken = await runTests(client, root);
    expect(textAt(broken.structured, 'verdict'), broken.text).not.toBe('passed');
    expect(broken.text).toMatch(/cart\.test/);
  }

  test('[test.vitest] Vitest: every outcome, output per test, a broken file', () =>
    check('vitest'));

  test('[test.node] node:test: every outcome, a broken file', () => check('node'));

  itNeeds('jest', '[test.jest] Jest: every outcome, output per file, a broken file', () =>
    check('jest'),
  );

  itNeeds('mocha', '[test.mocha] Mocha: every outcome, a broken file', () => check('mocha'));

  /** A project of the runner's own, run as a whole, then its failures again. */
  async function checkOwn(name: 'bun' | 'deno'): Promise<readonly [Answer, Answer]> {
    const root = testProject(home, name);
    symlinkSync(installed, join(root, 'node_modules'));
    const before = filesOf(root);
    const answer = await runTests(client, root);
    expect(at(answer.structured, 'framework')).toBe(name);
    const failed = await runTests(client, root, { rerunFailed: true });
    expect(filesOf(root)).toEqual(before);
    return [answer, failed];
  }

  itNeeds('bun', '[test.bun] Bun: every outcome, values, the failed again', async () => {
    const [answer, failed] = await checkOwn('bun');
    expect(countsOf(answer), answer.text).toBe('2/2/2/0');
    const sums = failureOf(answer, 'cart.test.js > Cart > sums up');
    expect(sums).toMatchObject({ expected: '6', actual: '5', file: 'cart.test.js' });
    expect(countsOf(failed), failed.text).toBe('0/2/0/0');
  });

  itNeeds('deno', '[test.deno] Deno: every outcome, steps, output, the failed again', async () => {
    const [answer, failed] = await checkOwn('deno');
    expect(countsOf(answer), answer.text).toBe('1/3/1/0');
    const inner = failureOf(answer, 'cart.test.js > sums up > inner');
    expect(inner).toMatchObject({ message: 'Error: expected 6, got 5', file: 'cart.test.js' });
    const around = failureOf(answer, 'cart.test.js > sums up');
    expect(textAt(around, 'output')).toBe('said by sums up');
    expect(countsOf(failed), failed.text).toBe('0/3/0/0');
  });

  test('[test.runner-missing] a framework that is not installed is named with how to install it', async () => {
    const root = testProject(home, 'javaScript', 'without');
    expect(existsSync(join(root, 'node_modules'))).toBe(false);
    writeFileSync(join(root, 'package.json'), '{"devDependencies":{"jest":"*"}}');
    const refused = await client.refused('debug_test', {
      projectRoot: root,
      env: { PATH: '/usr/bin:/bin' },
    });
    expect(refused.text).toMatch(/^RUNNER_MISSING: .*\nNext: .*npm install --save-dev jest/);
  });

  test('[test.monorepo] the nearest project counts; several below the root are named', async () => {
    const root = testProject(home, 'javaScript', 'monorepo', ['a', 'b']);
    for (const name of ['a', 'b']) {
      writeFileSync(join(root, name, 'package.json'), '{"scripts":{"test":"node --test"}}');
      writeFileSync(
        join(root, name, `${name}.test.cjs`),
        `require('node:test').test('${name}', () => {});`,
      );
    }
    const refused = await client.refused('debug_test', { projectRoot: root });
    expect(refused.text).toMatch(
      /^NO_TEST_FRAMEWORK: .*2 projects with tests: .*\/a \(node\).*\/b/,
    );
    const one = await runTests(client, root, { file: 'b/b.test.cjs' });
    expect(countsOf(one)).toBe('1/0/0/0');
    expect(at(one.structured, 'reasons', 0)).toMatch(/^node in b: /);
  });
});
