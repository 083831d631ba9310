import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SeenCall } from '../../support/calls.ts';
import { runsAsPlain, type Ran } from '../../support/runsAsPlain.ts';
import { nodes } from '../../support/nodes.ts';
import { targetSource } from '../../support/targets.ts';

const runLikePlain = async (
  path: string,
  script: string,
  args: readonly string[] = [],
): Promise<Ran> => {
  const source = targetSource(`node/${script}`);
  return await runsAsPlain(path, [source, ...args], { folder: dirname(source) });
};

/** Every version and way is tried with it, a few without. */
const isWhole = process.env['STROBE_ALL_NODES'] !== undefined;
const moreThrown = ['tabs', 'again', 'heard', 'parse', 'later'];

const shown = (calls: readonly SeenCall[]): unknown[] =>
  calls.map(({ function: name, end }) => [name, end]);

describe.each(nodes.map(({ major, path }) => [major, path] as const))('Node %i', (major, path) => {
  test('[node.modules] traces CommonJS as it runs: output, exceptions, texts and places are those of the plain program', async () => {
    const { calls } = await runLikePlain(path, 'plain.cjs');
    expect(shown(calls)).toEqual(
      expect.arrayContaining([
        ['plain.Account.constructor', 'returned'],
        ['plain.Account.deposit', 'returned'],
        ['plain.Account.deposit', 'unwound'],
        ['helper.twice', 'returned'],
      ]),
    );
    const fetches = calls.find((call) => call.function === 'plain.fetches');
    const later = calls.filter((call) => call.function === 'plain.later');
    expect(fetches?.returns).toBe(16);
    expect(later.map((call) => call.parent)).toEqual([fetches?.id, fetches?.id]);
    expect(later.map((call) => call.returns)).toEqual([6, 10]);
    const twice = calls.filter((call) => call.function === 'helper.twice');
    expect(twice.map((call) => call.parent)).toEqual(later.map(({ id }) => id));
  });

  test('[node.modules] traces ES modules and worker threads, and leaves their options as they are', async () => {
    const { calls } = await runLikePlain(path, 'modules.mjs');
    const names = calls.map((call) => call.function);
    expect(names).toEqual(
      expect.arrayContaining([
        'imported.imported',
        'modules.count',
        'shape.area',
        'scale.scaled',
        'shape.Shape.describe',
        'shape.Shape.label',
      ]),
    );
    expect(names.filter((name) => name === 'worked.job')).toHaveLength(3);
  });

  test('[node.contexts] traces workers of a cluster, and scripts in contexts of their own', async () => {
    const { calls } = await runLikePlain(path, 'contexts.cjs');
    const within = calls.filter((call) => call.function === 'within.within');
    expect(within.map(({ returns }) => returns)).toEqual([42, 42, 42, 42, 2]);
    const served = calls.find((call) => call.function === 'contexts.served');
    expect(served?.returns).toBe(42);
    expect(served?.pid).not.toBe(within[0]?.pid);
  });

  test('[node.uncaught] shows an exception that nothing caught, and a rejection that nothing handled', async () => {
    for (const [script, ending, type, inCrash] of [
      ['plain.cjs', 'fail', 'TypeError "at the end"', 'uncaught TypeError: at the end'],
      ['plain.cjs', 'reject', 'the value: Object{reason="none"}', 'Object{reason="none"}'],
      ['thrown.cjs', 'text', 'the value: "no error"', '"no error", which is no Error'],
    ] as const) {
      const { daemon, sessionId } = await runLikePlain(path, script, [ending]);
      const asked = { sessionId, view: 'events', eventType: ['exception'] };
      const { text } = await daemon.ok('debug_query', asked);
      expect(text).toContain(type);
      expect(text).toMatch(/not caught|throw/);
      const crash = await daemon.ok('debug_query', { sessionId, view: 'crash' });
      expect(crash.text).toContain('Nothing caught an exception.');
      expect(crash.text.split('traced calls:')[0]).toContain(inCrash);
    }
  });

  test('[node.uncaught] shows an exception of a worker thread, and where its error went', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'worker-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'work.mjs'), 'throw new RangeError("too much");\n');
    writeFileSync(
      join(folder, 'main.cjs'),
      `const { Worker } = require('node:worker_threads');
      const worker = new Worker(__dirname + '/work.mjs');
      function heard(error) { console.log(error.message); }
      if (process.argv[2]) worker.on('error', heard);\n`,
    );
    const heard = await runsAsPlain(path, ['main.cjs', 'hears'], { folder });
    expect(heard.calls.map((call) => call.arguments['error'])).toEqual([
      { RangeError: 'too much' },
    ]);
    const asked = { view: 'crash' };
    const crash = await heard.daemon.ok('debug_query', { ...asked, sessionId: heard.sessionId });
    expect(crash.text).toContain('An exception that nothing caught ended its thread.');
    expect(crash.text).toContain('work.mjs:1');
    const fails = await runsAsPlain(path, ['main.cjs'], { folder });
    const { text } = await fails.daemon.ok('debug_query', { ...asked, sessionId: fails.sessionId });
    expect(text.match(/^uncaught RangeError: too much of thread/gm)).toHaveLength(2);
    expect(text).not.toContain('no Error');
  });

  test('[node.refused] names a file that does not parse, and traces the others', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'broken-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'main.cjs'), 'function fits() { return 1; }\nfits();\n');
    writeFileSync(join(folder, 'broken.cjs'), 'function broken( {\n');
    const { daemon, sessionId, calls } = await runsAsPlain(path, ['main.cjs'], { folder });
    expect(calls.map((call) => call.function)).toEqual(['main.fits']);
    const { text } = await daemon.ok('debug_session', { action: 'status', sessionId });
    expect(text).toContain('left alone: broken.cjs cannot be read: Unexpected token');
    expect(text).not.toContain('NOTHING_MATCHED');
  });

  const thrown = ['engine', 'factory', 'text', ...(isWhole ? moreThrown : [])];
  test.each(thrown)('[node.printed] prints what nothing caught as it is: %s', async (way) => {
    const { calls } = await runLikePlain(path, 'thrown.cjs', [way]);
    expect(calls.length).toBeGreaterThan(0);
  });

  test('[node.values] shows values of every kind, and runs no code of theirs', async () => {
    const { calls } = await runLikePlain(path, 'shapes.cjs');
    const taken = calls.filter((call) => call.function === 'shapes.take');
    const texts = taken.map((call) => JSON.stringify(call.arguments['value']) ?? 'undefined');
    expect(texts.slice(2, 10)).toEqual([
      'true',
      '-5',
      '"-0.0"',
      '1.5',
      '1099511627776',
      '"1000000000000000000000000000000"',
      '"naïve"',
      '"日本"',
    ]);
    const all = texts.join('\n');
    for (const part of [
      'Symbol(tag)',
      'Float64Array',
      '1970-01-01',
      '/a+b/gi',
      'bad',
      'low',
      'Point',
    ])
      expect(all).toContain(part);
    for (const part of [
      'circular',
      '<Promise pending>',
      '{"fulfilled":1}',
      '{"rejected":',
      '<function named>',
      '<class Point>',
      'http://host',
      '"x":3,"#hidden":1',
    ])
      expect(all).toContain(part);
    // The first is made while it has not all of its fields yet.
    expect(texts.slice(30, 32).map((text) => /"x".*/.exec(text)?.[0] ?? text)).toEqual([
      expect.not.stringContaining('#left'),
      expect.stringMatching(/"#early":false,"#password":.*,"#left":\[2\],"#hidden":1/),
    ]);
    expect(all).not.toContain('xyzzy');
    const hostile = calls.filter((call) => call.function === 'shapes.takeHostile');
    expect(hostile).toHaveLength(4);
    expect(JSON.stringify(hostile[0]?.arguments)).toContain('"kept":7');
    expect(JSON.stringify(hostile[0]?.arguments)).toContain('<getter>');
  });

  if (major < 22) {
    test('[node.modules] says what is not traced where an ES module is required', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'strobe-required-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      writeFileSync(join(folder, 'main.cjs'), 'require("./needed.mjs").needed();\n');
      writeFileSync(
        join(folder, 'needed.mjs'),
        'import { further } from "./further.mjs";\nexport const needed = () => further();\n',
      );
      writeFileSync(join(folder, 'further.mjs'), 'export const further = () => 1;\n');
      const { daemon, sessionId, calls } = await runsAsPlain(path, ['main.cjs'], {
        folder,
        ignored: /\(node:\d+\)/g,
      });
      expect(calls.map((call) => call.function)).toEqual(['needed.needed']);
      const { text } = await daemon.ok('debug_session', { action: 'status', sessionId });
      expect(text).toContain('in Node 20 what it imports is not traced');
    });
  }

  if (major >= 22) {
    test('[node.types] traces TypeScript whose types Node takes away, and prints what is uncaught as it is', async () => {
      const { calls } = await runLikePlain(path, 'typed.ts');
      expect(shown(calls)).toEqual([
        ['typed.Box.add', 'returned'],
        ['typed.Box.add', 'returned'],
        ['typed.distance', 'returned'],
        ['typed.Box.size', 'returned'],
        ['typed.Box.size', 'returned'],
      ]);
      expect(calls[2]?.returns).toBe(5);
    });
  }
});
