import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { parseInput } from '../../src/protocol/parseInput.ts';
import type { ToolContract } from '../../src/protocol/tools/tool.ts';
import { tools } from '../../src/protocol/tools/tools.ts';
import { at, textAt } from '../support/read.ts';
import { launch, runToEnd } from '../support/runs.ts';
import { packageRoot } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

interface Step {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The calls that an answer proposes. */
function stepsIn(text: string): Step[] {
  return [...text.matchAll(/^ {2}(debug_\w+) (\{.*?\})(?: {2}— .*)?$/gm)].map((found) => {
    const given: unknown = JSON.parse(found[2] ?? '{}');
    const members = typeof given === 'object' && given !== null ? Object.entries(given) : [];
    return { tool: found[1] ?? '', arguments: Object.fromEntries(members) };
  });
}

const contracts: readonly ToolContract[] = tools;

const sorted = (given: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(Object.entries(given).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const views: readonly Readonly<Record<string, unknown>>[] = [
  { view: 'events' },
  { view: 'events', eventType: ['call'] },
  { view: 'events', eventType: ['call'], function: { equals: 'nothing_such' } },
  { view: 'events', text: 'main' },
  { view: 'events', verbose: true },
  { view: 'tree' },
  { view: 'tree', maxDepth: 1 },
  { view: 'tree', root: 'main' },
  { view: 'stats' },
  { view: 'output' },
  { view: 'changes' },
  { view: 'crash' },
  { view: 'sql', sql: 'SELECT function_name, count(*) FROM calls GROUP BY 1' },
];

describe('next steps', () => {
  const { home, client } = withClient();

  test('[query.steps-work] of all kept answers each proposed call is one that the tools read, and none is proposed twice', () => {
    const folders = ['tests/unit/report/golden', 'tests/e2e/golden'];
    const answers = folders.flatMap((folder) =>
      readdirSync(join(packageRoot, folder))
        .filter((name) => name.endsWith('.golden.txt'))
        .map((name) => stepsIn(readFileSync(join(packageRoot, folder, name), 'utf8'))),
    );
    const textOf = (step: Step): string => `${step.tool} ${sorted(step.arguments)}`;
    expect(answers.filter((all) => new Set(all.map(textOf)).size < all.length)).toEqual([]);
    const steps = answers.flat();
    expect(steps.length).toBeGreaterThan(50);
    for (const step of steps) {
      const tool = contracts.find(({ name }) => name === step.tool);
      expect(() => tool && parseInput(tool, step.arguments), JSON.stringify(step)).not.toThrow();
    }
  });

  test('[query.steps-work] no answer proposes to trace the whole project where that is traced and nothing was called', async () => {
    const script = join(home.project, 'quiet.mjs');
    writeFileSync(script, `function never() {}\nprocess.stdin.resume();\nconsole.log('ready');\n`);
    const { sessionId, text } = await launch(client, home, process.execPath, {
      args: [script],
      stdin: 'open',
      patterns: ['@usercode'],
    });
    const waited = { action: 'wait', sessionId, for: ['output'], match: 'ready' };
    const asked: Step[] = [
      { tool: 'debug_session', arguments: waited },
      { tool: 'debug_session', arguments: { action: 'status', sessionId } },
      // A watch is sampled in calls of its own pattern.
      ...views
        .filter(({ view }) => view !== 'changes')
        .map((view) => ({ tool: 'debug_query', arguments: { sessionId, ...view } })),
    ];
    const answers = [text];
    const ask = async (): Promise<void> => {
      for (const step of asked) answers.push((await client.call(step.tool, step.arguments)).text);
    };
    await ask();
    await client.ok('debug_session', { action: 'input', sessionId, eof: true });
    await client.ok('debug_session', { action: 'wait', sessionId, for: ['exit'] });
    await ask();
    expect(
      answers.flatMap(stepsIn).filter((step) => sorted(step.arguments).includes('@usercode')),
    ).toEqual([]);
    expect(answers.join('')).toContain('1 function hooked, none was called');
  });

  test('[query.steps-work] what answers propose succeeds, in 95 of 100 cases at least, and is never the request itself', async () => {
    const sessions = [
      (await runToEnd(client, home, buildTarget('e2e/throws.cpp'), { patterns: ['@usercode'] }))
        .sessionId,
      (await runToEnd(client, home, buildTarget('e2e/passed.c'), { patterns: ['slice'] }))
        .sessionId,
      (
        await runToEnd(client, home, buildTarget('e2e/passed.c'), {
          patterns: [{ pattern: 'slice', when: 'start > 999999' }],
        })
      ).sessionId,
      (await runToEnd(client, home, buildTarget('e2e/startup.cpp'))).sessionId,
      (await runToEnd(client, home, '/bin/true')).sessionId,
      (await launch(client, home, buildTarget('e2e/ticker.cpp'), { patterns: ['clockwork::*'] }))
        .sessionId,
    ];
    const failed: string[] = [];
    let count = 0;
    for (const sessionId of sessions) {
      const requests: Step[] = [
        ...views.map((view) => ({ tool: 'debug_query', arguments: { sessionId, ...view } })),
        { tool: 'debug_session', arguments: { action: 'status', sessionId } },
        {
          tool: 'debug_session',
          arguments: { action: 'wait', sessionId, for: ['event'], timeoutMs: 300 },
        },
      ];
      const done = new Set<string>();
      for (const request of requests) {
        const { text } = await client.call(request.tool, request.arguments);
        for (const step of stepsIn(text)) {
          const key = `${step.tool} ${sorted(step.arguments)}`;
          expect(key, text).not.toBe(`${request.tool} ${sorted(request.arguments)}`);
          if (done.has(key)) continue;
          done.add(key);
          count++;
          const given =
            'timeoutMs' in step.arguments ? { ...step.arguments, timeoutMs: 200 } : step.arguments;
          const answer = await client.call(step.tool, given);
          if (answer.isError) failed.push(`${key}: ${answer.text.slice(0, 200)}`);
          else if (step.tool === 'debug_launch') {
            const launched = textAt(answer.structured, 'sessionId');
            if (at(answer.structured, 'state') === 'running')
              await client.call('debug_session', { action: 'stop', sessionId: launched });
          }
        }
      }
    }
    await client.ok('debug_session', { action: 'stop', sessionId: sessions.at(-1) });
    expect(count).toBeGreaterThan(25);
    expect(failed.length / count, failed.join('\n')).toBeLessThanOrEqual(0.05);
  });
});
