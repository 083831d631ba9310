import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { itNeeds, pytestFolder } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { withClient } from '../support/suite.ts';
import { countTokens } from '../support/tokens.ts';
import { runTests, testProject } from '../support/testProjects.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

describe('tests of Python', () => {
  const { home, client } = withClient();

  /** Runs one test with a diagnosis, and gives its text. */
  async function diagnosis(test: string, args: Record<string, unknown> = {}): Promise<string> {
    const root = testProject(home, 'pythonShop', `diagnosed ${Math.random()}`);
    const answer = await runTests(client, root, { test, diagnose: true, ...args });
    const [first] = listAt(answer.structured, 'diagnoses');
    expect(first, answer.text).toBeDefined();
    for (const form of [answer.text, JSON.stringify(answer.structured)])
      expect(countTokens(form)).toBeLessThanOrEqual(2500);
    return textAt(first, 'text');
  }

  itNeeds(
    'pytest',
    '[test.diagnose-python] a wrong Decimal leads to the call that returned it, and to where an exception was swallowed',
    async () => {
      const text = await diagnosis('tests/test_cart.py::test_discount[12-71.30]');
      expect(text).toMatch(
        /^actual Decimal\('74\.00'\) came from shop\.cart\.Cart\.total, suspect \d$/m,
      );
      expect(text).toMatch(
        /^ {2}\d\. shop\.cart\.Cart\.total\(.*\) = Decimal\("74\.00"\) .*cart\.py:25/m,
      );
      expect(text).toMatch(/^ {2}\d\. shop\.prices\.discount_for\(count=12\) = 0 .*prices\.py:13/m);
      // What the fixture did belongs to the test.
      expect(text).toMatch(/^ {2}conftest\.cart\(\) = /m);
    },
  );

  itNeeds('pytest', '[test.diagnose-python] an exception leads to where it began', async () => {
    const text = await diagnosis('tests/test_cart.py::test_unknown_name');
    expect(text).toMatch(
      /^ {2}1\. shop\.prices\.price_of\(name="cup"\) ✗ unwound by KeyError\("cup"\) .*prices\.py:8 {2}\(an exception began in it\)/m,
    );
  });

  itNeeds(
    'pytest',
    '[test.diagnose-python] a test that passes alone is traced among the others',
    async () => {
      const root = testProject(home, 'pythonShop', 'among');
      const answer = await runTests(client, root, {
        file: 'tests/test_default.py',
        diagnose: true,
      });
      const text = textAt(answer.structured, 'diagnoses', 0, 'text');
      expect(text).toMatch(/^tests\/test_default\.py::test_second, failing traced/m);
      expect(text).toContain('! It passes when it runs alone and traced.');
      expect(text).toContain('! Among the others it fails');
      // The list that a new cart begins with is not empty.
      expect(text).toMatch(
        /shop\.cart\.Cart\.__init__\(self=[^)]*lines=\[(?:#\d )?Line\{name="tea"/,
      );
    },
  );

  itNeeds(
    'cpython',
    '[test.diagnose-python] unittest: a value that an assertion of the standard library complains of',
    async () => {
      const root = { framework: 'unittest', file: 'tests/test_lines.py' };
      const text = await diagnosis('LineTest.test_many', root);
      expect(text).toMatch(
        /^actual Decimal\('540\.00'\) came from shop\.cart\.Line\.total, suspect \d$/m,
      );
      expect(text).toMatch(/shop\.prices\.discount_for\(count=120\) = 0/);
    },
  );

  itNeeds(
    'xdist',
    '[test.events-python] [test.diagnose-python] with xdist events have the test that ran in their worker',
    async () => {
      const root = testProject(home, 'pythonShop', 'workers');
      symlinkSync(pytestFolder, join(root, '.venv'));
      writeFileSync(join(root, 'pytest.ini'), '[pytest]\npythonpath = .\naddopts = -n 2\n');
      const traced = await runTests(client, root, { patterns: ['discount_for'] });
      const sessionId = textAt(traced.structured, 'sessionId');
      const events = await client.ok('debug_query', {
        sessionId,
        view: 'events',
        test: 'test_discount[10-62.75]',
      });
      const counts = listAt(events.structured, 'events').map((event) =>
        at(event, 'arguments', 'count'),
      );
      expect(counts, events.text).toEqual([1, 10]);
      const answer = await runTests(client, root, { test: 'test_discount', diagnose: true });
      expect(textAt(answer.structured, 'diagnoses', 0, 'text')).toMatch(
        /^ {2}\d\. shop\.prices\.discount_for\(count=12\) = 0 /m,
      );
    },
  );

  itNeeds(
    'pytest',
    '[test.events-python] events of a traced run name their test, each case of a parametrised one its own',
    async () => {
      const root = testProject(home, 'pythonShop', 'traced');
      const answer = await runTests(client, root, { patterns: ['discount_for', 'Cart.add'] });
      expect(listAt(answer.structured, 'warnings').join('\n')).toMatch(/traced: \d+ functions/);
      const sessionId = textAt(answer.structured, 'sessionId');
      const counts = async (test: string): Promise<string[]> => {
        const { structured } = await client.ok('debug_query', {
          sessionId,
          view: 'events',
          test,
          function: { pattern: 'discount_for' },
        });
        return listAt(structured, 'events').map((event) =>
          JSON.stringify(at(event, 'arguments', 'count')),
        );
      };
      expect(await counts('tests/test_cart.py::test_discount[10-62.75]')).toEqual(['1', '10']);
      expect(await counts('tests/test_cart.py::test_discount[12-71.30]')).toEqual(['1', '12']);
    },
  );
});
