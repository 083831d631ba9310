import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callsOf, linesOf, type SeenCall } from '../../support/calls.ts';
import { nodes } from '../../support/nodes.ts';
import { OwnDaemon } from '../../support/ownDaemon.ts';
import { pythons } from '../../support/pythons.ts';
import { textAt } from '../../support/read.ts';
import { packageRoot } from '../../support/strobe.ts';
import { buildTarget, targetSource } from '../../support/targets.ts';

const headers = join(packageRoot, 'node_modules/node-api-headers/include');

function addonPath(): string {
  return buildTarget('node/mixed.c', ['-shared', '-fPIC', '-w', `-I${headers}`], 'mixed.node');
}

const [python] = pythons;

describe.each(nodes.map(({ major, path }) => [major, path] as const))('Node %i', (_major, path) => {
  test('[node.mixed] functions of an addon nest under JavaScript ones, their callbacks under them, and children in other languages are on the same timeline', async () => {
    const daemon = await OwnDaemon.start([]);
    onTestFinished(async () => daemon.close());
    const source = targetSource('node/mixing.cjs');
    const inPython = python ? [python.path, targetSource('node/spawned.py')] : [];
    const launched = await daemon.ok('debug_launch', {
      command: path,
      args: [source, addonPath(), buildTarget('node/spawned.cpp'), ...inPython],
      projectRoot: dirname(source),
      patterns: ['@usercode', 'mixed.node!each', 'mixed.node!twice', 'spawned!spawned_work'],
      stdin: 'open',
    });
    const sessionId = textAt(launched.structured, 'sessionId');
    // Native libraries are hooked when they have been loaded.
    const hooked = async (): Promise<boolean> =>
      /mixed\.node!each: matched 1 · hooked 1[^]*mixed\.node!twice: matched 1 · hooked 1/.test(
        (await daemon.ok('debug_trace', { sessionId })).text,
      );
    await expect.poll(hooked, { timeout: 20_000 }).toBe(true);
    await daemon.ok('debug_session', { action: 'input', sessionId, text: 'go\n' });
    await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 40_000 });
    const output = (await linesOf(daemon, sessionId)).map(({ text }) => text);
    expect(output).toEqual(['10 not 0', '1', '2', ...(python ? ['3'] : [])]);
    const calls = await callsOf(daemon, sessionId);
    const [first] = calls;
    const [own, others] = [true, false].map((isOwn) =>
      calls.filter(({ pid }) => (pid === first?.pid) === isOwn),
    );
    expect(nestingOf(own ?? [])).toEqual(expected);
    expect((own ?? []).filter(({ end }) => end === 'unwound').map(nameOf)).toEqual(['refuse']);
    expect((others ?? []).map(nameOf)).toEqual(
      expect.arrayContaining(['spawned_work', ...(python ? ['spawned_in_python'] : [])]),
    );
    // In the order of their beginnings: the children's after what was called before them.
    const names = calls.map(nameOf);
    expect(names.indexOf('spawned_work')).toBeGreaterThan(names.indexOf('children'));
  });
});

const leaves = ['back > each', 'each > twice', 'each > leaf', 'each > twice', 'each > leaf'];
const backs = ['each > twice', 'each > back'];

/** In the order of their beginnings. */
const expected: readonly string[] = [
  '- > outer',
  'outer > each',
  ...backs,
  ...backs,
  ...backs,
  ...leaves,
  ...backs,
  ...leaves,
  '- > caught',
  'caught > each',
  'each > twice',
  'each > refuse',
  '- > later',
  'later > each',
  'each > twice',
  'each > leaf',
  '- > mixing.<anonymous>',
  'mixing.<anonymous> > children',
];

function nameOf(call: SeenCall): string {
  return call.function.replace(/^.*[.!](?=\w)/, '').replace(/^<anonymous>$/, 'mixing.<anonymous>');
}

/** `caller > called`, in the order of their beginnings. */
function nestingOf(calls: readonly SeenCall[]): string[] {
  const byId = new Map(calls.map((call) => [call.id, call]));
  return calls.map((call) => {
    const parent = call.parent === null ? undefined : byId.get(call.parent);
    return `${parent ? nameOf(parent) : '-'} > ${nameOf(call)}`;
  });
}
