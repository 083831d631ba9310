import { definitionKind } from '../../../protocol/definitions.ts';
import { nodeAction } from '../../../protocol/nodeTracer.ts';
import { engine, fields8 } from './addon.ts';
import { descriptorOf, isProxy, prototypeOf } from './intrinsics.ts';

/** Names that have numbers; further ones stand in the values themselves. */
const MOST_NAMES = 20_000;
const MOST_TYPES = 20_000;
const MOST_TEXT = 1024;

/** Of what the daemon wrote. */
const MOST_TOLD = 8192;

/** The fields of one definition. */
let at = 0;
const encoder = new TextEncoder();

export function beginFields(): void {
  at = 0;
}

export function putWord(value: number): void {
  fields8[at] = value;
  fields8[at + 1] = value >>> 8;
  fields8[at + 2] = value >>> 16;
  fields8[at + 3] = value >>> 24;
  at += 4;
}

export function putText(text: string, most = MOST_TEXT): void {
  const { written } = encoder.encodeInto(
    text.length > most ? text.slice(0, most) : text,
    fields8.subarray(at + 4),
  );
  putWord(written);
  at += written;
}

/** What the daemon wrote for itself. */
export function putTold(text: string): void {
  putText(text, MOST_TOLD);
}

/** Its number; 0: it has none. */
export function define(kind: number, line: number): number {
  return engine(nodeAction.defines, kind, line, 0, at);
}

const files = new Map<string, number>();

export function fileNumber(path: string): number {
  let number = files.get(path);
  if (number === undefined) {
    beginFields();
    putText(path);
    putText('');
    number = define(definitionKind.file, 0);
    if (number > 0) files.set(path, number);
  }
  return number;
}

const names = new Map<string, number>();

/** 0: it has none. */
export function nameNumber(name: string): number {
  const known = names.get(name);
  if (known !== undefined) return known;
  if (names.size >= MOST_NAMES || name.length > MOST_TEXT) return 0;
  beginFields();
  putText(name);
  const number = define(definitionKind.name, 0);
  if (number > 0) names.set(name, number);
  return number;
}

const types = new Map<string, number>();

export function typeNumber(name: string): number {
  const known = types.get(name);
  if (known !== undefined) return known;
  if (types.size >= MOST_TYPES) return typeNumber('Object');
  beginFields();
  putText(name);
  putText('');
  putWord(0);
  const number = define(definitionKind.type, 0);
  if (number > 0) types.set(name, number);
  return number;
}

const ofPrototype = new WeakMap<object, string>();
const MOST_PROTOTYPES = 16;

/** The name of the class that an object is of; no code of the program runs. */
export function className(value: object): string {
  let prototype = prototypeOf(value);
  for (let i = 0; prototype !== null && i < MOST_PROTOTYPES; i++) {
    const known = ofPrototype.get(prototype);
    if (known !== undefined) return known;
    if (isProxy(prototype)) break;
    const name = constructorName(prototype);
    if (name !== '') {
      ofPrototype.set(prototype, name);
      return name;
    }
    prototype = prototypeOf(prototype);
  }
  return 'Object';
}

function constructorName(prototype: object): string {
  const made: unknown = descriptorOf(prototype, 'constructor')?.value;
  return typeof made === 'function' && !isProxy(made) ? functionName(made) : '';
}

export function functionName(of: object): string {
  const name: unknown = descriptorOf(of, 'name')?.value;
  return typeof name === 'string' ? name : '';
}
