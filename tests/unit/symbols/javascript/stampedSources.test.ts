import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sourceMapOf } from '../../../../src/symbols/javascript/originalSources.ts';
import {
  areAsBefore,
  stampedSources,
  type StampedSource,
} from '../../../../src/symbols/javascript/stampedSources.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strobe-sources-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function madeOf(source: string): string {
  const map = JSON.stringify({ version: 3, sources: [source], names: [], mappings: 'AAAA' });
  return `f();\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`;
}

function sourcesOf(text: string, path: string): readonly StampedSource[] | null {
  return stampedSources(text, sourceMapOf(text, path));
}

test('a source that changes after a module was rewritten is noticed', () => {
  const source = join(folder, 'a.ts');
  writeFileSync(source, 'f();');
  const sources = sourcesOf(madeOf('a.ts'), join(folder, 'a.js'));
  expect(sources?.map(({ path }) => path)).toEqual([source]);
  expect(areAsBefore(sources ?? [])).toBe(true);
  utimesSync(source, 1, 1);
  expect(areAsBefore(sources ?? [])).toBe(false);
});

test('a source that comes or goes is noticed', () => {
  const sources = sourcesOf(madeOf('b.ts'), join(folder, 'b.js')) ?? [];
  expect(areAsBefore(sources)).toBe(true);
  writeFileSync(join(folder, 'b.ts'), '');
  expect(areAsBefore(sources)).toBe(false);
});

test('sources that are searched for, and maps in files, are asked for each time', () => {
  const path = join(folder, 'c.js');
  expect(sourcesOf(madeOf('webpack://name/./src/c.ts'), path)).toBeNull();
  expect(sourcesOf('f();\n//# sourceMappingURL=c.js.map\n', path)).toBeNull();
  expect(sourcesOf('f();\n', path)).toEqual([]);
});
