import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../support/client.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';
import { failureOf, runTests } from '../support/testProjects.ts';

describe('tests that do not get on', () => {
  const { home, client } = withClient();

  function project(name: string, files: Readonly<Record<string, string>>): string {
    const root = join(home.project, `${name} ö`);
    mkdirSync(root);
    for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
    return root;
  }

  /** The first hint with stacks; the run is cancelled then. */
  async function hintOf(projectRoot: string, args: object = {}): Promise<unknown> {
    const started = await client.ok('debug_test', { projectRoot, waitMs: 0, ...args });
    const testRunId = textAt(started.structured, 'testRunId');
    let answer: Answer = started;
    while (!Array.isArray(at(answer.structured, 'stuck'))) {
      answer = await client.ok('debug_test', { action: 'wait', testRunId, timeoutMs: 2000 });
      expect(textAt(answer.structured, 'state'), answer.text).toBe('running');
    }
    await client.ok('debug_test', { action: 'cancel', testRunId });
    return listAt(answer.structured, 'stuck')[0];
  }

  const manifest = '{"scripts":{"test":"node --test"}}';

  test('[test.stuck-stacks] Node that waits tells what is open, through its inspector', async () => {
    const root = project('waits', {
      'package.json': manifest,
      'wait.test.cjs':
        "require('node:test').it('waits', () => new Promise((then) => setTimeout(then, 1e8)));\n",
    });
    const hint = await hintOf(root);
    expect(textAt(hint, 'test')).toBe('wait.test.cjs > waits');
    expect(textAt(hint, 'observed')).toMatch(/no processor time: it waits/);
    expect(textAt(hint, 'stacks')).toMatch(/^node \(\d+\) runs no JavaScript: .* Timeout.* open/);
  });

  test('[test.stuck-stacks] Node that spins tells its calls', async () => {
    const root = project('spins', {
      'package.json': manifest,
      'spin.test.cjs': `function isDone() { return false; }
function spin() {
  for (;;) if (isDone()) return;
}
require('node:test').it('spins', () => spin());
`,
    });
    const hint = await hintOf(root);
    expect(textAt(hint, 'observed')).toMatch(/it computes or spins/);
    expect(textAt(hint, 'stacks')).toMatch(/^node \(\d+\) runs, newest call first/);
    expect(textAt(hint, 'stacks')).toMatch(/ {2}spin spin\.test\.cjs:3\n/);
  });

  itNeeds('gtest', '[test.stuck-stacks] a deadlock of native threads is told as one', async () => {
    const root = project('locks', { 'CMakeLists.txt': '' });
    mkdirSync(join(root, 'build'));
    const flags = ['-g', '-pthread', '-lgtest', '-lgtest_main'];
    copyFileSync(buildTarget('testing/stuckInLocks.cpp', flags), join(root, 'build', 'tests'));
    const hint = await hintOf(root);
    expect(textAt(hint, 'test')).toBe('Bank.Settles');
    expect(textAt(hint, 'stacks')).toMatch(/DEADLOCK: /);
    expect(textAt(hint, 'stacks')).toMatch(/bank::pay \S*stuckInLocks\.cpp:\d+/);
    expect(textAt(hint, 'stacks')).toMatch(/bank::refund \S*stuckInLocks\.cpp:\d+/);
  });

  itNeeds('go', '[test.stuck-stacks] Go tells its stacks as the limit ends it', async () => {
    const root = project('sleeps', {
      'go.mod': 'module cart\n\ngo 1.21\n',
      'cart_test.go': `package cart

import (
	"testing"
	"time"
)

func wait() { time.Sleep(time.Hour) }

func TestBefore(t *testing.T) {}
func TestSleeps(t *testing.T) { wait() }
`,
    });
    await runTests(client, root, { test: 'TestBefore' }); // The compiler's time is not the limit's.
    const answer = await runTests(client, root, { timeoutMs: 8000 });
    expect(answer.text).toMatch(/^FAILED \(killed at its limit\): 1 failed, 1 passed/);
    expect(failureOf(answer, 'TestSleeps')).toMatchObject({
      message: 'was running when the run was stopped',
      stackTrace: ['cart_test.go:8 cart.wait', 'cart_test.go:11 cart.TestSleeps'],
    });
  });
});
