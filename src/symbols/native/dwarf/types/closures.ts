import type { Layout } from '../../abi/layout.ts';
import { rulesOfMachine } from '../../machineRules.ts';
import { attribute, tag } from '../constants.ts';
import { Cursor } from '../cursor.ts';
import type { DebugInfo } from '../debugInfo.ts';
import { Entry, afterChildren } from '../entry.ts';
import { membersOf, type Member } from './members.ts';
import type { TypeReader, TypeReference } from './types.ts';
import type { Unit } from '../unitTable.ts';

/** What a Rust closure captured, which is passed before its parameters and which no parameter stands for. */
export interface Environment {
  readonly type: TypeReference;
  /** The closure is passed its address, not itself. */
  readonly isByAddress: boolean;
  /** As it is passed. */
  readonly layout: Layout;
  /** DWARF's number of the register in which the compiler says it lies at the first instruction; -1: it does not say. */
  readonly register: number;
}

/** A captured variable of the closure's own entry, with the entry that names it. */
export interface CapturedVariable {
  readonly unit: Unit;
  readonly entry: Entry;
  readonly name: string;
}

/** Of fields that hold a captured variable's address, not its value. */
const referencePrefix = '_ref__';
const closureName = /^\{closure#/;
const environmentName = /\{closure_env#\d+\}/;
/** Where a build that does not optimise has stored what it was passed. */
const longestPrologue = 48;

/** `{closure#0}`, `{closure#1}<i32>`. */
export function isClosureName(name: string): boolean {
  return closureName.test(name);
}

/** Whether a type's name is that of what a closure captured, or of a reference to it. */
export function isEnvironmentName(name: string): boolean {
  return environmentName.test(name);
}

/** The captured variable that a field of an environment holds, or whose address. */
export function capturedName(field: string): string {
  return field.startsWith(referencePrefix) ? field.slice(referencePrefix.length) : field;
}

/**
 * The environment of a closure, whose type stands beside its entry (`links`: it and what it completes), and how it is
 * passed, which only where its variables lie tells: by its address, or of those called once itself. Null where it is
 * not described, or what is described does not fit.
 */
export function environmentOf(
  types: TypeReader,
  links: readonly { readonly unit: Unit; readonly entry: Entry }[],
  captured: readonly CapturedVariable[],
  address: number,
): Environment | null {
  const type = typeBeside(types.info, links);
  if (!type) return null;
  const members = membersOf(types, type);
  let isByAddress: boolean | null = null;
  let register = -1;
  for (const variable of captured) {
    const member = members.find(({ name }) => capturedName(name) === variable.name);
    if (!member) continue;
    const found = wayOf(types.info, variable, member, address);
    if (found === null) continue;
    if (found === 'unlike' || (isByAddress ?? found.isByAddress) !== found.isByAddress) return null;
    isByAddress = found.isByAddress;
    if (register < 0) register = found.register;
  }
  if (isByAddress === null) return null;
  const { layout } = types.read(type);
  const isWord = layout.kind === 'aggregate' && layout.bytes === 8;
  return {
    type,
    isByAddress,
    layout: isByAddress ? { kind: 'integer', bytes: 8 } : layout,
    register: isByAddress || isWord ? register : -1,
  };
}

type Way = { readonly isByAddress: boolean; readonly register: number };

/** How the environment is passed as one variable's place tells: null when it says nothing. */
function wayOf(
  info: DebugInfo,
  { unit, entry }: CapturedVariable,
  { name, offset }: Member,
  address: number,
): Way | 'unlike' | null {
  const isReference = name.startsWith(referencePrefix);
  for (let at = address; at <= address + longestPrologue; at++) {
    const expression = info.expression(unit, entry, attribute.location, at);
    const path =
      expression && pathOf(expression, rulesOfMachine(info.machine)?.frameRegisters ?? []);
    if (!path) continue;
    const register = at === address ? path.register : -1;
    if (path.reads === 0) return isReference ? 'unlike' : { isByAddress: false, register: -1 };
    if (path.offset === offset && path.reads === 1 + Number(isReference))
      return { isByAddress: true, register };
    return isReference && path.reads === 1 && path.offset === 0
      ? { isByAddress: false, register }
      : 'unlike';
  }
  return null;
}

interface Path {
  /** Where it begins, unless that is the frame: then -1. */
  readonly register: number;
  /** Addresses that are read or held in the register on the way. */
  readonly reads: number;
  /** What is added to the first of them. */
  readonly offset: number;
}

const operation = {
  deref: 0x06,
  plusConstant: 0x23,
  reg0: 0x50,
  reg31: 0x6f,
  breg0: 0x70,
  breg31: 0x8f,
  frameBase: 0x91,
} as const;
/** From what was passed to the variable; null when the expression is more than that. */
function pathOf(expression: Uint8Array, frameRegisters: readonly number[]): Path | null {
  if (expression.length === 0) return null;
  const cursor = new Cursor(expression, 0);
  const first = cursor.u8();
  if (first >= operation.reg0 && first <= operation.reg31)
    return cursor.at === expression.length
      ? { register: first - operation.reg0, reads: 0, offset: 0 }
      : null;
  const isBased = first >= operation.breg0 && first <= operation.breg31;
  if (first !== operation.frameBase && !isBased) return null;
  const start = cursor.sleb();
  const isInFrame = !isBased || frameRegisters.includes(first - operation.breg0);
  let reads = isInFrame ? 0 : 1;
  let offset = isInFrame ? 0 : start;
  while (cursor.at < expression.length) {
    const code = cursor.u8();
    if (code === operation.deref) reads++;
    else if (code === operation.plusConstant && reads === 1) offset += cursor.uleb();
    else return null;
  }
  return { register: isInFrame ? -1 : first - operation.breg0, reads, offset };
}

function typeBeside(
  info: DebugInfo,
  links: readonly { readonly unit: Unit; readonly entry: Entry }[],
): TypeReference | null {
  for (const { unit, entry } of links) {
    const offset = environmentsOf(info, unit).get(entry.offset);
    if (offset !== undefined) return offset < 0 ? null : { unit, offset };
  }
  return null;
}

const environments = new WeakMap<Unit, ReadonlyMap<number, number>>();

interface Scope {
  /** By what is behind the closure's kind in their names. */
  readonly closures: { readonly key: string; readonly offset: number }[];
  /** -1 where several have the name. */
  readonly types: Map<string, number>;
}

const scopeTags = new Set<number>([
  tag.compileUnit,
  tag.partialUnit,
  tag.namespace,
  tag.structureType,
  tag.unionType,
  tag.enumerationType,
]);

/** By the offsets of a unit's closures those of their environments' types, which lie in the same scope; -1: several do. */
function environmentsOf(info: DebugInfo, unit: Unit): ReadonlyMap<number, number> {
  const known = environments.get(unit);
  if (known) return known;
  const found = new Map<number, number>();
  environments.set(unit, found);
  const { header, table } = unit;
  const cursor = info.cursor(unit);
  const entry = new Entry();
  const open: Scope[] = [];
  for (let at = header.firstEntry; at < cursor.bytes.length;) {
    if (!entry.read(cursor, at, table, header)) {
      at = entry.after;
      const scope = open.pop();
      if (scope) match(scope, found);
      if (open.length === 0) break;
      continue;
    }
    const scope = open.at(-1);
    if (scope && entry.hasChildren) note(info, unit, entry, scope);
    const isScope = entry.hasChildren && scopeTags.has(entry.tag);
    if (isScope) open.push({ closures: [], types: new Map() });
    else if (!scope) break;
    at = isScope ? entry.after : afterChildren(entry, cursor, table, header);
  }
  return found;
}

function note(info: DebugInfo, unit: Unit, entry: Entry, scope: Scope): void {
  const isFunction = entry.tag === tag.subprogram;
  if (!isFunction && entry.tag !== tag.structureType) return;
  const name = info.text(unit, entry, attribute.name);
  const key = name.slice(name.indexOf('#'));
  if (isFunction && isClosureName(name)) scope.closures.push({ key, offset: entry.offset });
  else if (!isFunction && name.startsWith('{closure_env#'))
    scope.types.set(key, scope.types.has(key) ? -1 : entry.offset);
}

function match({ closures, types }: Scope, found: Map<number, number>): void {
  for (const { key, offset } of closures) {
    const type = types.get(key);
    if (type === undefined) continue;
    const isOnly = closures.filter((other) => other.key === key).length === 1;
    found.set(offset, isOnly ? type : -1);
  }
}
