import { nearest } from '../../base/nearest.ts';
import type { FoundVariable, VariableMatch } from '../../model/foundVariable.ts';
import { attribute, tag } from '../dwarf/constants.ts';
import type { DebugInfo } from '../dwarf/debugInfo.ts';
import type { Unit } from '../dwarf/unitTable.ts';
import { Entry } from '../dwarf/entry.ts';
import { treeType } from '../dwarf/shapes.ts';
import type { TypeReader } from '../dwarf/types.ts';
import { compute, locate, type ExpressionContext } from '../unwind/expression.ts';
import type { IndexedModule, Library } from './library.ts';

const maxNearest = 5;
const maxFound = 16;
const maxNesting = 256;
const threadOperators: readonly number[] = [0x9b, 0xe0];

/** A variable's entry as the walk through its unit met it. */
interface Met {
  readonly unit: Unit;
  readonly offset: number;
  readonly scope: string;
}

/** The variables of a name as an expression spells it (`total`, `bank::total`, `"a.c"::total`) in these modules. */
export function findVariables(
  library: Library,
  modulePaths: readonly string[],
  wanted: string,
  depth: number,
): VariableMatch {
  const [, file, name = wanted] = /^(?:"([^"]*)")?(?:::)?(.*)$/s.exec(wanted) ?? [];
  const found = new Map<string, FoundVariable>();
  const refused = new Set<string>();
  const others: string[] = [];
  for (const path of modulePaths) {
    const module = library.get(path);
    const types = module.types();
    if (!types) {
      refused.add(`there is no debug information in ${path}`);
      continue;
    }
    const search = new VariableSearch(module, types, name, depth);
    for (const one of search.run(refused)) {
      if (file !== undefined && !(one.file ?? '').endsWith(file)) continue;
      found.set(`${path} ${one.place.kind} ${placeOf(one)}`, one);
    }
    if (found.size === 0) others.push(...module.variableNames());
  }
  const variables = [...found.values()];
  const exact = variables.filter((one) => plainName(one.name) === name);
  const best = exact.length > 0 ? exact : variables;
  const last = name.split('::').at(-1) ?? name;
  const byLast = new Map(others.map((other) => [other.split('::').at(-1) ?? other, other]));
  return {
    variables: best.slice(0, maxFound),
    refused: best.length > 0 ? [] : [...refused],
    nearest:
      best.length > 0 || refused.size > 0
        ? []
        : nearest(last, [...byLast.keys()], maxNearest).map((near) => byLast.get(near) ?? near),
  };
}

function placeOf({ place }: FoundVariable): number {
  return place.kind === 'static' ? place.address : place.offset;
}

/** Without what people do not write. */
function plainName(name: string): string {
  return name.replaceAll('(anonymous namespace)::', '');
}

class VariableSearch {
  readonly #module: IndexedModule;
  readonly #types: TypeReader;
  readonly #info: DebugInfo;
  readonly #name: string;
  readonly #last: string;
  readonly #depth: number;

  constructor(module: IndexedModule, types: TypeReader, name: string, depth: number) {
    this.#module = module;
    this.#types = types;
    this.#info = types.info;
    this.#name = name;
    this.#last = name.split('::').at(-1) ?? name;
    this.#depth = depth;
  }

  run(refused: Set<string>): FoundVariable[] {
    const found: FoundVariable[] = [];
    for (const unit of this.#info.unitsNaming(this.#last)) {
      try {
        for (const met of this.#variablesOf(unit)) {
          const one = this.#describe(met, refused);
          if (one) found.push(one);
        }
      } catch {
        refused.add(`a part of the debug information of ${this.#module.path} is damaged`);
      }
      if (found.length > maxFound * 4) break;
    }
    return found;
  }

  /** All variables of a unit whose own or declared name is the wanted one. */
  #variablesOf(unit: Unit): Met[] {
    const cursor = this.#info.cursor(unit);
    const end = cursor.bytes.length;
    const entry = new Entry();
    const scopes: string[] = [];
    const declared = new Map<number, Met>();
    const met: Met[] = [];
    for (let at = unit.header.firstEntry; at < end; at = entry.after) {
      if (!entry.read(cursor, at, unit.table, unit.header)) {
        scopes.pop();
        if (scopes.length === 0) break;
        continue;
      }
      const scope = scopes.at(-1) ?? '';
      const isVariable = entry.tag === tag.variable || entry.tag === tag.member;
      if (isVariable && this.#info.text(unit, entry, attribute.name) === this.#last) {
        const own = { unit, offset: entry.offset, scope };
        declared.set(entry.offset, own);
        met.push(own);
      } else if (isVariable && entry.has(attribute.specification)) {
        const target = this.#info.follow(unit, entry, attribute.specification);
        const of = target?.unit === unit ? declared.get(target.offset) : undefined;
        if (of) met.push({ unit, offset: entry.offset, scope: of.scope });
      }
      if (!entry.hasChildren) {
        if (scopes.length === 0) break;
        continue;
      }
      if (scopes.length > maxNesting) throw new RangeError('entries nest too deeply');
      scopes.push(this.#inner(unit, entry, scope));
    }
    return met;
  }

  /** The scope of what an entry holds. */
  #inner(unit: Unit, entry: Entry, scope: string): string {
    switch (entry.tag) {
      case tag.namespace:
      case tag.module:
      case tag.classType:
      case tag.structureType:
      case tag.unionType:
      case tag.subprogram: {
        const name = this.#info.text(unit, entry, attribute.name);
        const own = name || (entry.tag === tag.namespace ? '(anonymous namespace)' : '');
        if (own === '') return scope;
        return scope === '' ? own : `${scope}::${own}`;
      }
      default:
        return scope;
    }
  }

  #describe({ unit, offset, scope }: Met, refused: Set<string>): FoundVariable | null {
    const entry = this.#info.read(unit, offset, new Entry());
    const name = scope === '' ? this.#last : `${scope}::${this.#last}`;
    const plain = plainName(name);
    if (plain !== this.#name && !plain.endsWith(`::${this.#name}`)) return null;
    const isLocal = entry.tag !== tag.variable || entry.value(attribute.isDeclaration) === 1;
    if (isLocal) return null;
    if (!entry.has(attribute.location)) {
      const holder = entry.has(attribute.specification) || entry.has(attribute.constValue);
      if (entry.has(attribute.constValue)) refused.add(`${name} is a constant, it has no memory`);
      else if (holder || entry.has(attribute.isExternal))
        refused.add(`the compiler kept no place for ${name}`);
      return null;
    }
    const place = this.#placeOf(unit, entry, name, refused);
    const typed = this.#typed(unit, entry);
    if (!place || !typed) return null;
    const type = treeType(this.#types, typed, this.#depth);
    if (!type) return null;
    const files = this.#info.lineHeader(unit)?.files;
    return {
      module: this.#module.path,
      name,
      file: files?.[entry.value(attribute.declarationFile)] ?? null,
      line: entry.value(attribute.declarationLine) || null,
      place,
      type,
    };
  }

  #typed(unit: Unit, entry: Entry): { unit: Unit; offset: number } | null {
    const own = this.#info.follow(unit, entry, attribute.type);
    if (own) return own;
    const declared = this.#info.follow(unit, entry, attribute.specification);
    if (!declared) return null;
    const of = this.#info.read(declared.unit, declared.offset, new Entry());
    return this.#info.follow(declared.unit, of, attribute.type);
  }

  #placeOf(
    unit: Unit,
    entry: Entry,
    name: string,
    refused: Set<string>,
  ): FoundVariable['place'] | null {
    const expression = this.#info.expression(unit, entry, attribute.location, 0);
    const context: ExpressionContext = {
      register: () => null,
      memory: () => null,
      bias: 0n,
      addressAt: (index) => BigInt(this.#info.addressEntry(unit, index)),
    };
    // Locals on the stack and in registers have no place of their own.
    if (!expression || expression.length === 0) return null;
    if (threadOperators.includes(expression.at(-1) ?? 0)) {
      const offset = compute(expression.subarray(0, -1), context);
      const block = this.#module.threadBlock();
      if (offset === null || !block) {
        refused.add(
          `${name} is a thread-local of a library: only those of the program itself can be read safely`,
        );
        return null;
      }
      return { kind: 'thread', offset: Number(offset) + block };
    }
    const location = locate(expression, context);
    return location.kind === 'memory' && location.address > 0n
      ? { kind: 'static', address: Number(location.address) }
      : null;
  }
}
