import type { BuildMark } from '../../../../model/values/shape.ts';
import { buildMark } from '../../elf/buildMark.ts';
import { readFunctionsAt } from '../../elf/symbolTable.ts';
import { attribute, languageNames, tag } from '../constants.ts';
import type { DebugInfo } from '../debugInfo.ts';
import { Entry, afterChildren } from '../entry.ts';
import { mostBytes, tooMuch } from './hierarchy.ts';
import type { TypeReader, TypeReference } from './types.ts';
import type { Unit } from '../unitTable.ts';

/** What a std::function of libstdc++ may hold. */
export interface Functor {
  readonly type: TypeReference;
  /** In its file, of the function that calls it: a function object has it. */
  readonly invoker: number;
  /** It lies in the function object itself, not where its first word leads. */
  readonly isInside: boolean;
}

interface Handler extends Functor {
  /** `_Function_handler<int(int), …>`. */
  readonly name: string;
}

interface Program {
  readonly build: BuildMark;
  readonly handlers: readonly Handler[];
}

/** Of one signature. */
export const mostFunctors = 32;
const invokers = /^_ZNSt17_Function_handlerI.+E9_M_invokeE/;
const known = new WeakMap<DebugInfo, Program | null>();

/**
 * What a `function<int(int)>` of this file's own functions may hold, told by what calls it; null where nothing is known of that. Not
 * what the linker made one with another.
 */
export function functorsOf(
  types: TypeReader,
  name: string,
): { readonly build: BuildMark; readonly functors: readonly Functor[] } | null {
  const { info } = types;
  let program = known.get(info);
  if (program === undefined) {
    program = readProgram(types);
    known.set(info, program);
  }
  if (program === null) return null;
  const begin = `_Function_handler<${name.slice('function<'.length, -1).trimEnd()}, `;
  const functors = program.handlers.filter((one) => one.name.startsWith(begin));
  return functors.length === 0
    ? null
    : { build: program.build, functors: functors.slice(0, mostFunctors) };
}

function readProgram(types: TypeReader): Program | null {
  const { info } = types;
  const build = buildMark(info.elf);
  const symbols = readFunctionsAt(info.elf, invokers);
  if (build === null || symbols.size === 0) return null;
  // Units are gone through for them.
  if (info.size > mostBytes) {
    info.leftOut.add(
      `a std::function shows the type of what it holds, but no captures: ${tooMuch(info)}`,
    );
    return null;
  }
  const found = new Map<number, Handler | null>();
  for (const unit of info.units) {
    if (unit.isTypes || languageNames.get(unit.language) !== 'C++') continue;
    for (const one of handlersIn(types, unit)) {
      if (symbols.get(one.invoker) == null) continue;
      const isOne = !found.has(one.invoker) || found.get(one.invoker)?.name === one.name;
      found.set(one.invoker, isOne ? one : null);
    }
  }
  return { build, handlers: [...found.values()].filter((one) => one !== null) };
}

/** They are declared in a class of namespace std, and defined at the top. */
function handlersIn(types: TypeReader, unit: Unit): Handler[] {
  const { info } = types;
  const { header, table } = unit;
  const cursor = info.cursor(unit);
  const entry = new Entry();
  const classes = new Map<number, number>();
  const defined: { readonly address: number; readonly declared: number }[] = [];
  let nested = 0;
  for (let at = header.firstEntry; at < cursor.bytes.length;) {
    if (!entry.read(cursor, at, table, header)) {
      at = entry.after;
      if (--nested <= 0) break;
      continue;
    }
    const isScope = nested === 0 || entry.tag === tag.namespace;
    at = isScope ? entry.after : afterChildren(entry, cursor, table, header);
    if (isScope) nested += entry.hasChildren ? 1 : 0;
    else if (entry.tag === tag.subprogram && entry.has(attribute.lowPc)) {
      const address = info.address(
        unit,
        entry.formOf(attribute.lowPc),
        entry.value(attribute.lowPc),
      );
      defined.push({ address, declared: declarationOf(info, unit, entry) });
    } else if (isHandler(info, unit, entry)) {
      const { offset } = entry;
      types.children(unit, info.read(unit, offset, new Entry()), (child) => {
        if (info.text(unit, child, attribute.name) === '_M_invoke')
          classes.set(child.offset, offset);
      });
    }
    if (nested === 0) break;
  }
  return defined.flatMap(({ address, declared }) => {
    const offset = classes.get(declared);
    return offset === undefined ? [] : handlerAt(types, { unit, offset }, address);
  });
}

function isHandler(info: DebugInfo, unit: Unit, entry: Entry): boolean {
  return (
    (entry.tag === tag.classType || entry.tag === tag.structureType) &&
    info.text(unit, entry, attribute.name).startsWith('_Function_handler<')
  );
}

/** Offset of what a function's definition completes, in the same unit; -1: there is none. */
function declarationOf(info: DebugInfo, unit: Unit, entry: Entry): number {
  const origin = info.follow(unit, entry, attribute.abstractOrigin);
  const own = origin?.unit === unit ? info.read(unit, origin.offset, new Entry()) : entry;
  const declared = info.follow(unit, own, attribute.specification);
  return declared?.unit === unit ? declared.offset : -1;
}

function handlerAt(types: TypeReader, { unit, offset }: TypeReference, invoker: number): Handler[] {
  const { info } = types;
  const entry = info.read(unit, offset, new Entry());
  const parameters: (TypeReference | null)[] = [];
  let manager: TypeReference | null = null;
  types.children(unit, entry, (child) => {
    if (child.tag === tag.templateTypeParameter)
      parameters.push(info.follow(unit, child, attribute.type));
    if (child.tag === tag.inheritance) manager = info.follow(unit, child, attribute.type);
  });
  const [, type] = parameters;
  const isInside = manager && storedInside(types, manager);
  const name = info.text(unit, entry, attribute.name);
  return type && isInside !== null ? [{ name, type, invoker, isInside }] : [];
}

function storedInside(types: TypeReader, { unit, offset }: TypeReference): boolean | null {
  const { info } = types;
  let told: boolean | null = null;
  types.children(unit, info.read(unit, offset, new Entry()), (child) => {
    if (!child.has(attribute.constValue)) return;
    if (info.text(unit, child, attribute.name) === '__stored_locally')
      told = info.constant(unit, child, attribute.constValue) !== 0n;
  });
  return told;
}
