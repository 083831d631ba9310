import type { TracedFunction } from '../../model/eventColumns.ts';
import { hasOwnLength, type ValueType } from '../../model/values/valueType.ts';
import { reading, readingOf } from '../capturedNumbers.ts';

/*
 * Where a value of a function's calls lies among the captured words, as a text that native/sql/places.h reads: a
 * letter for how it is read, then `l` for each value before it that has a length of its own, `s` for each other.
 */

/** No call has one. */
const none = '-';
/** All calls have the same. */
const constant = '=';
/** Each call has to be asked. */
const any = '?';
/** It says what it is; where that takes more than a number or a text, the call is asked. */
const dynamic = 'V';

const letters: Readonly<Record<number, string>> = {
  [reading.i8]: 'a',
  [reading.u8]: 'b',
  [reading.i16]: 'c',
  [reading.u16]: 'd',
  [reading.i32]: 'e',
  [reading.u32]: 'f',
  [reading.i64]: 'g',
  [reading.u64]: 'h',
  [reading.bool]: 'B',
  [reading.f32]: 'F',
  [reading.f64]: 'D',
  [reading.text]: 'T',
};
/** Of values whose words mean something that only their type tells, by how they are read. */
const namedLetters: Readonly<Record<number, string>> = {
  [reading.i8]: 'm',
  [reading.u8]: 'm',
  [reading.i16]: 'n',
  [reading.u16]: 'n',
  [reading.i32]: 'o',
  [reading.u32]: 'o',
  [reading.i64]: 'p',
  [reading.u64]: 'p',
};

/** A path of JSON: a name, and what of its value. */
const pathForm = /^\$(?:\.([A-Za-z_]\w*))?((?:\.[A-Za-z_]\w*|\[\d+\])*)$/;

/** The place of what `json_extract(arguments, path)` names, or of `json_extract(return_value, path)`. */
export function valuePlace(fn: TracedFunction, isReturn: boolean, path: string): string {
  const [known, name, rest] = pathForm.exec(path) ?? [];
  if (known === undefined) return any;
  if (!isReturn && known === '$') return fn.captured.length > 0 ? any : constant;
  if (!isReturn) return name === undefined ? any : argumentPlace(fn, name, rest === '');
  if (fn.returns.kind === 'void') return none;
  const isWhole = known === '$';
  if (fn.secretReturn !== undefined) return isWhole ? constant : any;
  return letterOf(fn.returns, isWhole);
}

function argumentPlace({ captured, uncaptured }: TracedFunction, name: string, isWhole: boolean) {
  const index = captured.findIndex((parameter) => parameter.name === name);
  const others = captured.filter((parameter) => parameter.name === name).length;
  const secret = uncaptured.some((one) => one.name === name && one.secret !== undefined);
  const found = captured[index];
  if (others > 1 || (found && secret)) return any;
  if (!found) return !secret ? none : isWhole ? constant : any;
  const letter = letterOf(found.type, isWhole);
  if (letter === none || letter === any) return letter;
  const before = captured.slice(0, index).map(({ type }) => (hasOwnLength(type) ? 'l' : 's'));
  return letter + before.join('');
}

/** `isWhole`: all of the value is wanted, no part of it. */
function letterOf(type: ValueType, isWhole: boolean): string {
  switch (type.kind) {
    case 'void':
    case 'opaque':
      return none;
    case 'list':
    case 'tree':
      return any;
    case 'dynamic':
      return isWhole ? dynamic : any;
    default:
      return isWhole ? scalarLetter(type) : none;
  }
}

function scalarLetter(type: ValueType): string {
  switch (type.kind) {
    case 'pointer':
      return 'P';
    case 'unknown':
      return 'U';
    case 'enum':
    case 'char':
      return namedLetters[readingOf(type)] ?? any;
    default:
      return letters[readingOf(type)] ?? any;
  }
}
