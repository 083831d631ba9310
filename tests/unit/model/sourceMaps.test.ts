import { compileFunction } from 'node:vm';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';
import { applyInserts } from '../../../src/model/rewriting/applyInserts.ts';
import { composedMap, inlineMap } from '../../../src/model/rewriting/composedMap.ts';
import { InsertedColumns } from '../../../src/model/rewriting/insertedColumns.ts';
import { originalText } from '../../../src/model/rewriting/originalText.ts';
import { readSourceMap } from '../../../src/model/rewriting/readSourceMap.ts';
import { originalPosition } from '../../../src/model/rewriting/sourceMap.ts';
import { rewritten } from '../../support/rewrittenScript.ts';

const source = `const f = (a) => { return () => a }
class A { m() { throw f } static async s(x = () => 1) { await x } get #p() { return this.q } }
module.exports = { A, text: () => [1, 2].map((n) => n * 2) }; // the end`;

const key = '1234';
const { inserts } = rewritten(source);
const running = { original: source, rewritten: applyInserts(source, inserts, key), inserts, key };

/** Each place of a word of a text. */
function wordsOf(text: string): { word: string; line: number; column: number }[] {
  return text.split('\n').flatMap((content, line) =>
    Array.from(content.matchAll(/[A-Za-z]\w*/g), ({ 0: word, index }) => ({
      word,
      line,
      column: index,
    })),
  );
}

test('[node.positions] each place of the original text is found in the rewritten one, and back', () => {
  const columns = new InsertedColumns(source, inserts, key);
  const lines = running.rewritten.split('\n');
  for (const { word, line, column } of wordsOf(source)) {
    const there = columns.rewritten(line, column);
    expect(lines[line]?.slice(there, there + word.length)).toBe(word);
    expect(columns.original(line, there)).toBe(column);
  }
});

test('[node.positions] a composed map leads from the rewritten text to the source, with or without a map before it', () => {
  const columns = new InsertedColumns(source, inserts, key);
  const plain = readSourceMap(composedMap({ text: source, file: '/p/a.js', columns }, null));
  expect(plain.sources).toEqual(['/p/a.js']);
  for (const { line, column } of wordsOf(source))
    expect(originalPosition(plain, { line, column: columns.rewritten(line, column) })).toEqual({
      source: 0,
      line,
      column,
    });

  const typed = `\n\nfunction pay(amount: number): number {\n  const rate: number = 2;\n  return amount * rate;\n}`;
  const { code, map } = transformSync(typed, {
    loader: 'ts',
    sourcemap: 'external',
    sourcefile: 'a.ts',
  });
  const own = readSourceMap(map);
  const made = rewritten(code);
  const moved = new InsertedColumns(code, made.inserts, key);
  const composed = readSourceMap(composedMap({ text: code, file: 'a.js', columns: moved }, own));
  for (const { line, column } of wordsOf(code))
    expect(originalPosition(composed, { line, column: moved.rewritten(line, column) })).toEqual(
      originalPosition(own, { line, column }),
    );
  expect(inlineMap('{}', btoa)).toBe('\n//# sourceMappingURL=data:application/json;base64,e30=');
});

test('[node.positions] a map of sections is read as one', () => {
  const map = { version: 3, sources: ['a.js'], names: [], mappings: 'AAAA;AACA' };
  const sections = [
    { offset: { line: 0, column: 0 }, map },
    { offset: { line: 2, column: 4 }, map: { ...map, sources: ['b.js'], sourceRoot: 'src' } },
  ];
  const read = readSourceMap(`)]}'\n${JSON.stringify({ version: 3, sections })}`);
  expect(read.sources).toEqual(['a.js', 'src/b.js']);
  expect(originalPosition(read, { line: 1, column: 9 })).toEqual({ source: 0, line: 1, column: 0 });
  expect(originalPosition(read, { line: 2, column: 3 })).toBeNull();
  expect(originalPosition(read, { line: 3, column: 0 })).toEqual({ source: 1, line: 1, column: 0 });
  for (const broken of ['', '[]', '{"mappings":"?"}', '{"sections":[1]}'])
    expect(() => readSourceMap(broken)).toThrow(SyntaxError);
});

test('[node.to-string] functions and classes give their original text', () => {
  const strobe = () => ({
    flags: new Uint8Array(20),
    enter: () => 0,
    exit: () => undefined,
    handled: () => undefined,
    raise: same,
    awaits: same,
    yields: same,
    resumes: same,
  });
  const load = (text: string): Record<string, unknown> => {
    const module = { exports: {} };
    Reflect.apply(compileFunction(text, ['module', '$strobe']), undefined, [module, strobe]);
    return module.exports;
  };
  const plain = load(source);
  for (const [name, value] of Object.entries(load(running.rewritten)))
    expect(originalText(String(value), running)).toBe(String(plain[name]));
  expect(originalText('never there', running)).toBeNull();
});

function same(_handle: number, value: unknown): unknown {
  return value;
}
