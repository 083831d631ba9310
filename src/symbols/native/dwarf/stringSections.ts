import { cString } from '../elf/elfFile.ts';
import { form } from './constants.ts';
import { Cursor } from './cursor.ts';
import type { DebugSource } from './debugSource.ts';
import type { Entry } from './entry.ts';
import type { Encoding } from './forms.ts';
import { isStringIndex } from './forms.ts';

/** Where the texts of a unit lie. */
export interface TextPlace {
  readonly header: Encoding;
  readonly source: DebugSource;
  readonly stringOffsetsBase: number;
  /** The file that several share (dwz); null without one. */
  readonly supplementary: DebugSource | null;
}

/** A text attribute of the entry under the cursor; empty when absent. */
export function attributeText(place: TextPlace, cursor: Cursor, entry: Entry, at: number): string {
  const code = entry.formOf(at);
  const value = entry.value(at);
  if (code === form.string) return cString(cursor.bytes, value);
  return code === 0 ? '' : sectionText(place, code, value);
}

/** A text that lies outside the unit. */
export function sectionText(place: TextPlace, code: number, value: number): string {
  const { source, supplementary } = place;
  switch (code) {
    case form.strp:
      return source.text(value);
    case form.lineStrp:
      return source.texts('.debug_line_str').at(value);
    case form.gnuStrpAlt:
    case form.strpSup:
      return supplementary?.text(value) ?? '';
    default:
      return isStringIndex(code) ? indexedText(place, value) : '';
  }
}

/** The offset in its file's .debug_str of a text that lies there; -1 of others. */
export function stringOffset(place: TextPlace, code: number, value: number): number {
  if (code === form.strp) return value;
  return isStringIndex(code) ? indexedOffset(place, value) : -1;
}

function indexedText(place: TextPlace, index: number): string {
  const offset = indexedOffset(place, index);
  return offset < 0 ? '' : place.source.text(offset);
}

function indexedOffset({ source, header, stringOffsetsBase }: TextPlace, index: number): number {
  const { offsetSize } = header;
  const offsets = source.bytes('.debug_str_offsets');
  const at = stringOffsetsBase + index * offsetSize;
  if (offsets === null || at + offsetSize > offsets.length) return -1;
  return new Cursor(offsets, at).offset(offsetSize);
}
