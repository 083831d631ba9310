import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { listAt, textAt } from '../support/read.ts';
import { packageRoot } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { runTests, testProject } from '../support/testProjects.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** Where scripts/frameworks.mjs puts frameworks. */
const installed = join(packageRoot, '.cache', 'frameworks', 'node_modules');
const node24 = join(packageRoot, '.cache', 'nodes', 'node_modules', 'node24', 'bin');
const shade = { equals: 'mixer.shade' };
const colours = ['red', 'blue', 'green'];

/** A file that runs the tests of mixer.cjs at a time, where the runner can. */
const runners = {
  vitest: {
    file: 'mix.test.mjs',
    source: `import { describe, expect, test } from 'vitest'; import mixer from './mixer.cjs';
describe('Mixer', () => mixer.suite({ test: test.concurrent, equal: (a, b) => expect(a).toBe(b) }));`,
    packages: join(packageRoot, 'node_modules'),
  },
  jest: {
    file: 'mix.test.cjs',
    source: `describe('Mixer', () => require('./mixer.cjs').suite({ test: test.concurrent, equal: (a, b) => expect(a).toBe(b) }));`,
    packages: installed,
  },
  mocha: {
    file: 'test/mix.test.cjs',
    source: `describe('Mixer', () => require('../mixer.cjs').suite({ test: it, equal: require('node:assert').equal }));`,
    packages: installed,
  },
  node: {
    file: 'mix.test.mjs',
    source: `import { describe, test } from 'node:test'; import assert from 'node:assert'; import mixer from './mixer.cjs';
describe('Mixer', { concurrency: true }, () => {
  for (const colour of ['red', 'blue', 'green'])
    test('mixes ' + colour, async () => assert.equal((await mixer.mix(colour, 3)).length, 3));
});`,
    packages: null,
  },
} as const;

describe('events of tests of JavaScript', () => {
  const { home, client } = withClient();

  async function check(
    framework: keyof typeof runners,
    settings: Readonly<Record<string, object>>,
    as: string,
    args: object = {},
  ): Promise<void> {
    const { file, source, packages } = runners[framework];
    const root = testProject(home, 'nodeConcurrent', as, file.includes('/') ? ['test'] : []);
    writeFileSync(join(root, file), source);
    for (const [name, content] of Object.entries({ 'package.json': {}, ...settings })) {
      const text = JSON.stringify(content);
      writeFileSync(join(root, name), name.endsWith('.mjs') ? `export default ${text};` : text);
    }
    if (packages !== null) symlinkSync(packages, join(root, 'node_modules'));
    const answer = await runTests(client, root, { framework, patterns: ['mixer.*'], ...args });
    const sessionId = textAt(answer.structured, 'sessionId');
    for (const colour of colours) {
      const wanted = { sessionId, function: shade, test: `mixes ${colour}` };
      const found = await client.ok('debug_query', wanted);
      const events = listAt(found.structured, 'events');
      expect(events.map((event) => textAt(event, 'returnValue'))).toEqual(
        [0, 1, 2].map((part) => `${colour} ${part}`),
      );
    }
    const all = await client.ok('debug_query', { sessionId, function: shade });
    const tests = listAt(all.structured, 'events').map((event) => textAt(event, 'test'));
    expect(new Set(tests).size, all.text).toBe(3);
  }

  for (const pool of ['forks', 'threads', 'vmThreads'])
    test(`[test.events-node] Vitest, ${pool}: calls of tests that run at a time name their test`, () =>
      check('vitest', { 'vitest.config.mjs': { test: { pool } } }, pool));

  itNeeds(
    'jest',
    '[test.events-node] Jest: calls of tests that run at a time name their test',
    () => check('jest', { 'jest.config.json': { testMatch: ['**/*.test.cjs'] } }, 'jest'),
  );

  itNeeds('mocha', '[test.events-node] Mocha: calls name their test', () =>
    check('mocha', { '.mocharc.json': { extension: ['cjs'] } }, 'mocha'),
  );

  test('[test.events-node] node:test: calls of tests that run at a time name their test', () =>
    check('node', {}, 'node'));

  itNeeds('nodes', '[test.events-node] node:test of Node 24, which hands its options on', () =>
    check('node', {}, 'node24', { env: { PATH: `${node24}:/usr/bin:/bin` } }),
  );
});
