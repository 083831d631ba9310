import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { areAsBefore, stampedSources } from '../../../../src/symbols/javascript/stampedSources.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strobe-sources-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function madeOf(source: string): string {
  const map = JSON.stringify({ version: 3, sources: [source], names: [], mappings: 'AAAA' });
  return `f();\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`;
}

test('a source that changes after a module was rewritten is noticed', () => {
  const source = join(folder, 'a.ts');
  writeFileSync(source, 'f();');
  const sources = stampedSources(madeOf('a.ts'), join(folder, 'a.js'));
  expect(sources?.map(({ path }) => path)).toEqual([source]);
  expect(areAsBefore(sources ?? [])).toBe(true);
  utimesSync(source, 1, 1);
  expect(areAsBefore(sources ?? [])).toBe(false);
});

test('a source that comes or goes is noticed', () => {
  const sources = stampedSources(madeOf('b.ts'), join(folder, 'b.js')) ?? [];
  expect(areAsBefore(sources)).toBe(true);
  writeFileSync(join(folder, 'b.ts'), '');
  expect(areAsBefore(sources)).toBe(false);
});

test('sources that are searched for, and maps in files, are asked for each time', () => {
  const path = join(folder, 'c.js');
  expect(stampedSources(madeOf('webpack://name/./src/c.ts'), path)).toBeNull();
  expect(stampedSources('f();\n//# sourceMappingURL=c.js.map\n', path)).toBeNull();
  expect(stampedSources('f();\n', path)).toEqual([]);
});
