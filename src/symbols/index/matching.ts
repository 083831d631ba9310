import { parseFunctionName } from '../../model/functionName.ts';
import { matchesParsedName } from '../../model/pattern.ts';
import type { NameProgram } from '../../model/pattern.ts';
import { textAt, textCount, textHolding } from './moduleIndex.ts';
import type { ModuleIndex, TextTable } from './moduleIndex.ts';

/** By number of a text: 1 where the test holds. */
export function matchingTexts(table: TextTable, test: (text: string) => boolean): Uint8Array {
  const marks = new Uint8Array(textCount(table));
  for (let number = 0; number < marks.length; number++) {
    if (test(textAt(table, number))) marks[number] = 1;
  }
  return marks;
}

/** Marks the names a pattern matches, whatever its parameters. */
export function matchingNames(index: ModuleIndex, program: NameProgram): Uint8Array {
  const table = index.nameTexts;
  const bare: NameProgram = { ...program, parameters: null };
  const test = (text: string): boolean =>
    text !== '' && matchesParsedName(bare, parseFunctionName(text));
  if (program.literal.length < 2) return matchingTexts(table, test);
  // The byte search leaves few candidates to parse.
  const marks = new Uint8Array(textCount(table));
  const bytes = Buffer.from(table.bytes.buffer, table.bytes.byteOffset, table.bytes.length);
  const literal = Buffer.from(program.literal, 'utf8');
  for (let at = bytes.indexOf(literal); at >= 0;) {
    const number = textHolding(table, at);
    if (test(textAt(table, number))) marks[number] = 1;
    at = bytes.indexOf(literal, table.starts[number + 1] ?? bytes.length);
  }
  return marks;
}
