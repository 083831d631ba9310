import { Cursor } from '../cursor.ts';
import { form } from '../constants.ts';
import { fixedSize, readForm, skipForm } from '../forms.ts';
import type { Encoding } from '../forms.ts';

/** Gives the text for a form and its value; `inline` texts are read from the header itself. */
export type TextOf = (code: number, value: number) => string;

/** The head of a line number program (DWARF 4 §6.2.4, DWARF 5 §6.2.4). */
export interface LineHeader {
  readonly encoding: Encoding;
  /** Index = file number of the program: in DWARF 4 entry 0 is empty. Absolute where folders allow it. */
  readonly files: readonly string[];
  readonly minimumInstruction: number;
  /** A row begins a statement unless the program says otherwise. */
  readonly beginsStatements: boolean;
  readonly lineBase: number;
  readonly lineRange: number;
  readonly opcodeBase: number;
  readonly opcodeLengths: Uint8Array;
  /** Where the program begins and ends in the section. */
  readonly program: number;
  readonly end: number;
}

const contentType = { path: 1, folder: 2 } as const;
const maxFiles = 1 << 20;

/** `section` is .debug_line. Throws a RangeError at damage. */
export function readLineHeader(
  section: Uint8Array,
  start: number,
  folder: string,
  textOf: TextOf,
): LineHeader {
  const cursor = new Cursor(section, start);
  let length = cursor.u32();
  const offsetSize = length === 0xffff_ffff ? 8 : 4;
  if (offsetSize === 8) length = cursor.u64();
  const end = cursor.at + length;
  if (end > section.length) throw new RangeError('a line table has an impossible length');
  const version = cursor.u16();
  if (version < 2 || version > 5)
    throw new RangeError(`line tables of version ${version} are not read`);
  let addressSize = 8;
  if (version >= 5) {
    addressSize = cursor.u8();
    cursor.u8();
  }
  const headerLength = cursor.offset(offsetSize);
  const program = cursor.at + headerLength;
  const minimumInstruction = cursor.u8();
  if (version >= 4) cursor.u8();
  const beginsStatements = cursor.u8() !== 0;
  const lineBase = (cursor.u8() << 24) >> 24;
  const lineRange = cursor.u8();
  const opcodeBase = cursor.u8();
  if (lineRange === 0 || opcodeBase === 0 || program > end)
    throw new RangeError('a line table has an impossible header');
  const opcodeLengths = new Uint8Array(opcodeBase);
  for (let i = 1; i < opcodeBase; i++) opcodeLengths[i] = cursor.u8();
  const encoding: Encoding = { version, addressSize, offsetSize };
  const files =
    version >= 5 ? readTables5(cursor, encoding, folder, textOf) : readTables4(cursor, folder);
  return {
    encoding,
    files,
    minimumInstruction,
    beginsStatements,
    lineBase,
    lineRange,
    opcodeBase,
    opcodeLengths,
    program,
    end,
  };
}

function inlineText(cursor: Cursor): string {
  const start = cursor.at;
  cursor.skipText();
  return Buffer.from(
    cursor.bytes.buffer,
    cursor.bytes.byteOffset + start,
    cursor.at - 1 - start,
  ).toString('utf8');
}

function readTables4(cursor: Cursor, folder: string): string[] {
  const folders = [folder];
  for (let name = inlineText(cursor); name !== ''; name = inlineText(cursor)) {
    folders.push(joinPath(folder, name));
    if (folders.length > maxFiles) throw new RangeError('a line table has too many folders');
  }
  const files = [''];
  for (let name = inlineText(cursor); name !== ''; name = inlineText(cursor)) {
    const index = cursor.uleb();
    cursor.skipLeb();
    cursor.skipLeb();
    files.push(joinPath(folders[index] ?? folder, name));
    if (files.length > maxFiles) throw new RangeError('a line table has too many files');
  }
  return files;
}

interface PathEntry {
  readonly path: string;
  readonly folder: number;
}

function readTables5(cursor: Cursor, encoding: Encoding, folder: string, textOf: TextOf): string[] {
  const folders = readPathEntries(cursor, encoding, textOf).map((entry) => entry.path);
  // Folder 0 is the compilation folder; the others are relative to it.
  const root = joinPath(folder, folders[0] ?? '');
  const absolute = folders.map((path) => joinPath(root, path));
  return readPathEntries(cursor, encoding, textOf).map((entry) =>
    joinPath(absolute[entry.folder] ?? root, entry.path),
  );
}

function readPathEntries(cursor: Cursor, encoding: Encoding, textOf: TextOf): PathEntry[] {
  const formats: number[] = [];
  for (let count = cursor.u8(); count > 0; count--) formats.push(cursor.uleb(), cursor.uleb());
  const total = cursor.uleb();
  if (total > maxFiles || (formats.length === 0 && total > 0))
    throw new RangeError('a line table has too many files');
  const entries: PathEntry[] = [];
  for (let i = 0; i < total; i++) {
    let path = '';
    let index = 0;
    for (let k = 0; k < formats.length; k += 2) {
      const code = formats[k + 1] ?? 0;
      if (formats[k] === contentType.path) {
        path =
          code === form.string
            ? inlineText(cursor)
            : textOf(code, readForm(cursor, code, encoding));
      } else if (
        formats[k] === contentType.folder &&
        (fixedSize(code, encoding) > 0 || code === form.udata)
      ) {
        index = readForm(cursor, code, encoding);
      } else skipForm(cursor, code, encoding);
    }
    entries.push({ path, folder: index });
  }
  return entries;
}

/** Joins and tidies `.` and `..`; the name wins when it is absolute. */
export function joinPath(folder: string, name: string): string {
  const joined =
    name.startsWith('/') || folder === '' ? name : name === '' ? folder : `${folder}/${name}`;
  if (!/\/\.\.?(?:\/|$)|\/\/|^\.\//.test(joined)) return joined;
  const isAbsolute = joined.startsWith('/');
  const parts: string[] = [];
  for (const part of joined.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '..' || !isAbsolute) parts.push(part);
  }
  return (isAbsolute ? '/' : '') + parts.join('/');
}
