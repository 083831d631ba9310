import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { listAt, textAt } from '../support/read.ts';
import { packageRoot } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { countsOf, runTests, testProject } from '../support/testProjects.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describe('tests of JavaScript', () => {
  const { home, client } = withClient();

  test('[test.events-node] with patterns the functions of node:test, each in its own process, are traced', async () => {
    const root = testProject(home, 'nodeShop');
    const answer = await runTests(client, root, { patterns: ['Basket.*', 'shareOf'] });
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

  const denoProject = (as: string, settings: string): string => {
    const root = testProject(home, 'deno', as);
    writeFileSync(join(root, 'deno.json'), settings);
    symlinkSync(join(packageRoot, '.cache/frameworks/node_modules'), join(root, 'node_modules'));
    return root;
  };

  itNeeds('deno', '[test.events-deno] each call names its test of Deno', async () => {
    const root = denoProject('permitted', '{"tasks": {"test": "deno test -A && deno lint"}}');
    const answer = await runTests(client, root, { patterns: ['total'] });
    expect(answer.text).toContain("rerun: deno test -A --filter '/^(throws)$/' cart.test.js");
    const sessionId = textAt(answer.structured, 'sessionId');
    const { text } = await client.ok('debug_query', {
      sessionId,
      view: 'events',
      test: 'cart.test.js > sums up > inner',
    });
    expect(text.match(/total\(price=2, count=3\) = 5/g)).toHaveLength(2);
    expect(text).not.toContain('price=0');
    const diagnosed = await runTests(client, root, { diagnose: true });
    expect(diagnosed.text).toContain('total(price=2, count=3) = 5');
  });

  itNeeds('deno', '[test.events-deno] names the permission that Deno lacks', async () => {
    const root = denoProject('closed', '{}');
    const answer = await runTests(client, root, { patterns: ['total'] });
    expect(countsOf(answer), answer.text).toBe('1/3/1/0');
    expect(answer.text).toContain('does not permit it to load the tracer: -A does');
  });
});
