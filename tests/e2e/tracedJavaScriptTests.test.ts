import { describe, expect, test, vi } from 'vitest';
import { listAt, textAt } from '../support/read.ts';
import { withClient } from '../support/suite.ts';
import { runTests, testProject } from '../support/testProjects.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describe('tests of JavaScript', () => {
  const { home, client } = withClient();

  test('[test.events-node] with patterns the functions of node:test, each in its own process, are traced', async () => {
    const root = testProject(home, 'nodeShop');
    const answer = await runTests(client, root, { tracePatterns: ['Basket.*', 'shareOf'] });
    const sessionId = textAt(answer.structured, 'sessionId');
    const { text } = await client.ok('debug_query', { sessionId, view: 'tree' });
    expect(text).toContain('basket.Basket.total(');
    expect(text).toMatch(/basket\.shareOf\(member="gold".*\) = 0/);
  });

  test('[test.diagnose-node] the calls of a failed test say which one gave the wrong value', async () => {
    const root = testProject(home, 'nodeShop');
    const answer = await runTests(client, root, { diagnose: true });
    const [diagnosis] = listAt(answer.structured, 'diagnoses');
    expect(textAt(diagnosis, 'text')).toContain('shareOf(member="gold") = 0');
  });
});
