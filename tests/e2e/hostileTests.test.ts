import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startClient } from '../support/client.ts';
import { itNeeds } from '../support/needs.ts';
import { processesWith } from '../support/processes.ts';
import { numberAt, textAt } from '../support/read.ts';
import { testHome, withClient } from '../support/suite.ts';
import { countsOf, filesOf, runTests } from '../support/testProjects.ts';

/** Passes where nothing can be written beside it. */
const unwritable = `const { it } = require('node:test');
const { throws } = require('node:assert');
const { writeFileSync } = require('node:fs');
it('may not write', () => throws(() => writeFileSync(__dirname + '/probe', ''), { code: 'EACCES' }));
`;

describe('tests that behave badly', () => {
  const { home, client } = withClient();

  const generic = (command: string, args: object = {}) =>
    runTests(client, home.project, { framework: 'generic', command, ...args });

  test('[test.hostile] 100 MB of output are kept whole and read to the result behind them', async () => {
    const bytes = 100_000_000;
    const answer = await generic(
      `echo 1..1; yes 'a line of output' | head -c ${bytes}; echo; echo 'ok 1 - told at the end'`,
    );
    expect(countsOf(answer), answer.text).toBe('1/0/0/0');
    const output = join(dirname(textAt(answer.structured, 'details')), 'output.txt');
    expect(statSync(output).size).toBe(bytes + '1..1\n\nok 1 - told at the end\n'.length);
  });

  test('[test.hostile] a line of 30 MB does not hide what follows', async () => {
    const answer = await generic(
      `echo 1..1; head -c 30000000 /dev/zero | tr '\\0' x; echo; echo 'ok 1 - behind it'`,
    );
    expect(countsOf(answer), answer.text).toBe('1/0/0/0');
  });

  test('[test.hostile] a test that reads its input meets the end of it', async () => {
    const answer = await generic('echo 1..1; read line; echo "ok 1 - read <$line>"');
    expect(countsOf(answer)).toBe('1/0/0/0');
  });

  test('[test.hostile] a test that replaces what reporters are made of is reported all the same, and its trace shows none of ours', async () => {
    const project = join(home.project, 'replaced');
    mkdirSync(project, { recursive: true });
    writeFileSync(
      join(project, 'test_replaced.py'),
      `import json, re, unittest

class Replaced(unittest.TestCase):
    def test_own(self):
        self.assertEqual(json.dumps([1]), '[1]')

    def test_replaced(self):
        def refuse(*_, **__):
            raise ValueError('not now')
        json.dumps = json.JSONEncoder.encode = refuse
        self.fail('on purpose')

    def test_then(self):
        pass
`,
    );
    const answer = await runTests(client, project, {
      framework: 'unittest',
      patterns: ['json.encoder.JSONEncoder.encode'],
    });
    expect(countsOf(answer), answer.text).toBe('2/1/0/0');
    expect(answer.text).toContain('on purpose');
    const question = { view: 'events', function: { pattern: 'encode' } };
    const { structured, text } = await client.ok('debug_query', question);
    expect(numberAt(structured, 'totalCount'), text).toBe(1);
  });

  test('[test.hostile] two hundred processes left behind are ended with the run', async () => {
    const mark = `${home.path}/many`;
    const answer = await generic(
      'for i in $(seq 50); do (for j in 1 2 3; do setsid sleep 300 & done; exec sleep 300) & done; echo 1..1; echo "ok 1 - forks"',
      { env: { STROBE_TEST_MARK: mark } },
    );
    expect(answer.text).toMatch(/^PASSED: 1 passed/);
    expect(answer.text).toContain('left processes running; they were killed');
    expect(processesWith(`STROBE_TEST_MARK=${mark}`)).toEqual([]);
  });

  itNeeds('root', '[test.hostile] a project that its user may only read', async () => {
    const theirs = testHome({}, undefined, 'nobody');
    const other = await startClient(theirs);
    const project = join(theirs.project, 'read only');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{"scripts":{"test":"node --test"}}');
    writeFileSync(join(project, 'writes.test.cjs'), unwritable);
    const before = filesOf(project);
    const answer = await runTests(other, project);
    expect(answer.text).toMatch(/^PASSED: 1 passed/);
    expect(filesOf(project)).toEqual(before);
    await other.close();
  });

  test('[test.runner-missing] every framework whose program is missing is named with how to install it', async () => {
    const project = join(home.project, 'without');
    mkdirSync(join(project, 'build'), { recursive: true });
    writeFileSync(join(project, 'build', 'CTestTestfile.cmake'), '');
    const installs = {
      pytest: 'pip install pytest',
      unittest: 'it comes with Python',
      vitest: 'npm install --save-dev vitest',
      jest: 'npm install --save-dev jest',
      mocha: 'npm install --save-dev mocha',
      node: 'https://nodejs.org',
      bun: 'npm install --save-dev bun',
      deno: 'npm install --save-dev deno',
      cargo: 'https://rustup.rs',
      nextest: 'cargo install cargo-nextest',
      go: 'https://go.dev/doc/install',
      ctest: 'https://cmake.org/download',
    };
    for (const [framework, install] of Object.entries(installs)) {
      const refused = await client.refused('debug_test', {
        projectRoot: project,
        framework,
        env: { PATH: '/nowhere' },
      });
      expect(refused.text, framework).toMatch(/^RUNNER_MISSING: /);
      expect(refused.text, framework).toContain(`Install it: ${install}`);
    }
    expect(filesOf(project)).toEqual(['build', 'build/CTestTestfile.cmake']);
  });
});
