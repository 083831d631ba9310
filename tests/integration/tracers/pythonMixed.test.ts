import { dirname, join } from 'node:path';
import { existsSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callsOf, type SeenCall } from '../../support/calls.ts';
import { OwnDaemon } from '../../support/ownDaemon.ts';
import { pythons, type Python } from '../../support/pythons.ts';
import { textAt } from '../../support/read.ts';
import { buildTarget, targetSource } from '../../support/targets.ts';

const tried = pythons.filter(
  (python) => existsSync(includeOf(python)) && (python.isSystem || python.minor >= 12),
);

function includeOf({ path, minor, isSystem }: Python): string {
  const folder = isSystem ? '/usr' : dirname(dirname(path));
  return join(folder, 'include', `python3.${minor}`);
}

/** The folder of the extension, built for an interpreter. */
function extensionOf(python: Python): string {
  const flags = ['-shared', '-fPIC', '-w', `-I${includeOf(python)}`];
  return dirname(buildTarget('python/mixed.c', flags, 'mixed.so'));
}

describe.each(tried.map((python) => [python.name, python] as const))(
  'Python %s',
  (_name, python) => {
    test('[python.mixed] functions of a C extension nest under Python ones, and their callbacks under them', async () => {
      const daemon = await OwnDaemon.start([]);
      onTestFinished(async () => daemon.close());
      const source = targetSource('python/mixing.py');
      const launched = await daemon.ok('debug_launch', {
        command: python.path,
        args: [source, extensionOf(python)],
        projectRoot: dirname(source),
        patterns: ['@file:mixing.py', 'mixed.so!each', 'mixed.so!twice'],
        stdin: 'open',
      });
      const sessionId = textAt(launched.structured, 'sessionId');
      // Native libraries are hooked when they have been loaded.
      const hooked = async (): Promise<boolean> =>
        /mixed\.so!each: matched 1 · hooked 1[^]*mixed\.so!twice: matched 1 · hooked 1/.test(
          (await daemon.ok('debug_trace', { sessionId })).text,
        );
      await expect.poll(hooked, { timeout: 20_000 }).toBe(true);
      await daemon.ok('debug_session', { action: 'input', sessionId, text: 'go\n' });
      await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 40_000 });
      const calls = await callsOf(daemon, sessionId);
      expect(linesOf(calls)).toEqual(expected);
      expect(calls.filter((call) => call.end === 'unwound').map(nameOf)).toEqual(['refuse']);
    });

    test('[python.crash] a crash in a C extension shows its native stack and the Python calls that led there', async () => {
      const daemon = await OwnDaemon.start([]);
      onTestFinished(async () => daemon.close());
      const source = targetSource('python/mixing.py');
      const launched = await daemon.ok('debug_launch', {
        command: python.path,
        args: [source, extensionOf(python), 'crash'],
        projectRoot: dirname(source),
        patterns: ['fall'],
      });
      const sessionId = textAt(launched.structured, 'sessionId');
      await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 40_000 });
      const { text } = await daemon.ok('debug_query', { view: 'crash', sessionId, budget: 3000 });
      expect(text).toMatch(/CRASH SIGSEGV/);
      expect(text).toMatch(/#0\S* mixed_break/);
      expect(text).toMatch(
        /Python stack of thread \d+, newest frame first:\n {2}#0 fall\(\) {2}mixing\.py:36\n {2}#1 <module>\(\) {2}mixing\.py:40/,
      );
      expect(text).toMatch(/traced calls that never returned[^]*fall\(\)/);
    });
  },
);

const twiceAnd = (name: string, times: number): string[] =>
  Array.from({ length: times }, () => ['each > twice', `each > ${name}`]).flat();
const leaves = ['back > each', ...twiceAnd('leaf', 2)];

/** In the order of their beginnings. */
const expected: readonly string[] = [
  '- > outer',
  'outer > each',
  ...twiceAnd('back', 3),
  ...leaves,
  ...leaves,
  ...twiceAnd('back', 1),
  '- > caught',
  'caught > each',
  ...twiceAnd('refuse', 1),
  '- > outer',
  'outer > each',
  ...twiceAnd('back', 2),
];

function nameOf(call: SeenCall): string {
  return call.function.slice(call.function.lastIndexOf('.') + 1);
}

/** `caller > called`, in the order of their beginnings. */
function linesOf(calls: readonly SeenCall[]): string[] {
  const byId = new Map(calls.map((call) => [call.id, call]));
  return calls.map((call) => {
    const parent = call.parent === null ? undefined : byId.get(call.parent);
    return `${parent ? nameOf(parent) : '-'} > ${nameOf(call)}`;
  });
}
