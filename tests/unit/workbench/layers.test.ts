import { describe, expect, it } from 'vitest';
import {
  folderProblems,
  globalProblems,
  importCycles,
  layerProblems,
  nameProblems,
  namingProblems,
  runtimeProblems,
} from '../../support/layerRules.ts';
import { readSource, readSourceTree } from '../../support/sourceTree.ts';
import type { SourceFile } from '../../support/sourceTree.ts';

const files = readSourceTree();

describe('the source tree', () => {
  it('was read as a whole', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(new Set(files.map((file) => file.path)).size).toBe(files.length);
    expect(files.flatMap((file) => file.imports).length).toBeGreaterThan(300);
  });

  it('imports only what its layer may know [workbench.layers]', () => {
    expect(layerProblems(files)).toEqual([]);
  });

  it('uses clock and exit only at their doors', () => {
    expect(globalProblems(files)).toEqual([]);
  });

  it('has no import cycles, type imports included', () => {
    expect(importCycles(files)).toEqual([]);
  });

  it('knows a runtime only where one lives [workbench.runtimes]', () => {
    expect(runtimeProblems(files)).toEqual([]);
  });

  it('has small folders, and one name for one file [workbench.rooms]', () => {
    expect(folderProblems(files)).toEqual([]);
    expect(nameProblems(files)).toEqual([]);
  });

  it('is named by the rules', () => {
    expect(namingProblems(files)).toEqual([]);
  });
});

describe('a planted violation is reported', () => {
  function check(
    find: (files: readonly SourceFile[]) => unknown[],
    path: string,
    text: string,
  ): void {
    expect(find([readSource(path, text)]), text).toHaveLength(1);
  }

  it.each([
    ['src/base/x.ts', "import { a } from '../model/a.ts';"],
    ['src/model/x.ts', "import { readFileSync } from 'node:fs';"],
    ['src/protocol/x.ts', "export { a } from '../daemon/a.ts';"],
    ['src/symbols/native/elf/x.ts', "import type { A } from '../../../db/a.ts';"],
    ['src/db/x.ts', "type A = import('../protocol/a.ts').A;"],
    ['src/collector/x.ts', "await import('../protocol/tools/debugQuery.ts');"],
    ['src/daemon/x.ts', "import { a } from '../client/a.ts';"],
    ['src/client/x.ts', "import { a } from '../protocol/a.ts';"],
    ['src/client/x.ts', "import { z } from 'zod';"],
    ['agent/x.ts', "import { a } from '../src/base/a.ts';"],
    ['src/base/x.ts', "import { spawn } from 'node:child_process';"],
    ['src/db/x.ts', "import Database from 'better-sqlite3';"],
    ['src/daemon/x.ts', "import { McpServer } from '@modelcontextprotocol/server';"],
    ['src/elsewhere/x.ts', ''],
  ])('layer: %s %s', (path, text) => check(layerProblems, path, text));

  it.each(['Date.now();', 'const now = performance.now();', 'new Date();', 'process.exit(1);'])(
    'global: %s',
    (text) => check(globalProblems, 'src/daemon/x.ts', text),
  );

  it.each([
    ['src/base/index.ts', ''],
    ['src/base/string-tools.ts', ''],
    ['src/base/stringUtil.ts', ''],
    ['src/daemon/x.ts', 'class SessionManager {}'],
    ['src/daemon/x.ts', 'interface ISession {}'],
    ['src/daemon/x.ts', 'abstract class BaseHost {}'],
    ['src/daemon/x.ts', 'export default 1;'],
  ])('name: %s %s', (path, text) => check(namingProblems, path, text));

  it.each([
    ['src/daemon/session/x.ts', "import { a } from '../../collector/native/a.ts';"],
    ['src/daemon/tracing/x.ts', "import type { A } from '../../collector/frida/a.ts';"],
    ['src/daemon/report/views/x.ts', "import type { A } from '../../../symbols/native/a.ts';"],
    ['src/daemon/tools/x.ts', "await import('../../collector/look/a.ts');"],
    ['src/db/writer/x.ts', "export { a } from '../../collector/exceptions/a.ts';"],
    ['src/daemon/session/x.ts', "if (fn.runtime === 'native') go();"],
    ['src/daemon/testing/x.ts', "switch (name) { case 'native': break; }"],
  ])('runtime: %s %s', (path, text) => {
    const runtime = readSource('src/symbols/native/a.ts', '');
    expect(runtimeProblems([runtime, readSource(path, text)]), text).toHaveLength(1);
  });

  it('a folder with too many files', () => {
    const full = Array.from({ length: 26 }, (_, i) => readSource(`src/db/reader/x${i}.ts`, ''));
    expect(folderProblems(full)).toHaveLength(1);
    expect(folderProblems(full.slice(1))).toEqual([]);
  });

  it('two files of one name', () => {
    const named = (...paths: readonly string[]) =>
      nameProblems(paths.map((at) => readSource(at, '')));
    expect(named('src/db/x.ts', 'src/model/names/x.ts')).toHaveLength(1);
    expect(named('src/protocol/tools/x.ts', 'src/daemon/tools/x.ts')).toEqual([]);
    expect(named('src/client/main.ts', 'src/daemon/main.ts')).toEqual([]);
  });

  it('cycle', () => {
    const knot = [
      readSource('src/base/a.ts', "import type { B } from './b.ts';"),
      readSource('src/base/b.ts', "import { c } from './c.ts';"),
      readSource('src/base/c.ts', "export * from './a.ts';"),
      readSource('src/base/d.ts', "import { a } from './a.ts';"),
    ];
    expect(importCycles(knot).map((members) => members.toSorted())).toEqual([
      ['src/base/a.ts', 'src/base/b.ts', 'src/base/c.ts'],
    ]);
  });
});

it('accepts what the table allows', () => {
  const allowed = readSource(
    'src/client/x.ts',
    "import { a } from '../base/a.ts'; import type { B } from '../protocol/b.ts'; import { join } from 'node:path';",
  );
  expect(layerProblems([allowed])).toEqual([]);
});
