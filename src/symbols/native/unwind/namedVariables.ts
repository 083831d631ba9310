import { compute, locate, type ExpressionContext } from './dwarfExpression.ts';
import { attribute, tag } from '../dwarf/constants.ts';
import type { DebugInfo } from '../dwarf/debugInfo.ts';
import { Entry } from '../dwarf/entry.ts';
import type { TypeReader, TypeReference } from '../dwarf/types/types.ts';
import type { Unit } from '../dwarf/unitTable.ts';

/** Where a variable is, as its file says. */
export type VariablePlace =
  /** Link-time address. */
  | { readonly kind: 'static'; readonly address: number }
  /** Bytes from the thread pointer. */
  | { readonly kind: 'thread'; readonly offset: number };

/** A variable with a place of its own: a global, a static, a static member, a thread-local. */
export interface NamedVariable {
  readonly name: string;
  readonly type: TypeReference;
  readonly place: VariablePlace;
  readonly file: string | null;
  /** 1-based. */
  readonly line: number | null;
}

export interface NamedVariableOptions {
  /** Where the program's block of thread-locals begins, from the thread pointer; null where that is not known. */
  threadBlock(): number | null;
  /** Called with the reason when a variable of the name has no place. */
  refuse(reason: string): void;
}

const maxNesting = 256;
const threadOperators: readonly number[] = [0x9b, 0xe0];

/** A variable's entry as the walk through its unit met it. */
interface Met {
  readonly unit: Unit;
  readonly offset: number;
  readonly scope: string;
}

/** Without what people do not write. */
export function plainName(name: string): string {
  return name.replaceAll('(anonymous namespace)::', '');
}

/** The variables of a name as an expression spells it (`total`, `bank::total`), unit by unit. */
export class NamedVariables {
  readonly #info: DebugInfo;
  readonly #name: string;
  readonly #last: string;
  readonly #options: NamedVariableOptions;

  constructor(types: TypeReader, name: string, options: NamedVariableOptions) {
    this.#info = types.info;
    this.#name = name;
    this.#last = name.split('::').at(-1) ?? name;
    this.#options = options;
  }

  /** Units that may have such a variable. Reads all debug information. */
  units(): Unit[] {
    return this.#info.unitsNaming(this.#last);
  }

  /** Those a unit has a place for. Throws at damaged debug information. */
  of(unit: Unit): NamedVariable[] {
    return this.#met(unit).flatMap((met) => this.#describe(met) ?? []);
  }

  /** Whether the unit declares one of that name, there or elsewhere. Throws at damaged debug information. */
  isDeclaredIn(unit: Unit): boolean {
    return this.#met(unit).some(({ scope }) => this.#isMeant(scope));
  }

  /** All variables of a unit whose own or declared name is the wanted one. */
  #met(unit: Unit): Met[] {
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
      if (isVariable && this.#isNamed(this.#info.text(unit, entry, attribute.name))) {
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

  /** Go names a variable with the whole path of its package, people with its last part (`fmt.Stringer`). */
  #isNamed(text: string): boolean {
    return text === this.#last || (this.#last.includes('.') && text.endsWith(`/${this.#last}`));
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

  #isMeant(scope: string): boolean {
    const plain = plainName(this.#nameIn(scope));
    return plain === this.#name || plain.endsWith(`::${this.#name}`);
  }

  #nameIn(scope: string): string {
    return scope === '' ? this.#last : `${scope}::${this.#last}`;
  }

  #describe({ unit, offset, scope }: Met): NamedVariable | null {
    if (!this.#isMeant(scope)) return null;
    const name = this.#nameIn(scope);
    const entry = this.#info.read(unit, offset, new Entry());
    const isLocal = entry.tag !== tag.variable || entry.value(attribute.isDeclaration) === 1;
    if (isLocal) return null;
    if (!entry.has(attribute.location)) {
      const holder = entry.has(attribute.specification) || entry.has(attribute.constValue);
      if (entry.has(attribute.constValue))
        this.#options.refuse(`${name} is a constant, it has no memory`);
      else if (holder || entry.has(attribute.isExternal))
        this.#options.refuse(`the compiler kept no place for ${name}`);
      return null;
    }
    const place = this.#placeOf(unit, entry, name);
    const type = this.#typed(unit, entry);
    if (!place || !type) return null;
    const files = this.#info.lineHeader(unit)?.files;
    return {
      name,
      file: files?.[entry.value(attribute.declarationFile)] ?? null,
      line: entry.value(attribute.declarationLine) || null,
      place,
      type,
    };
  }

  #typed(unit: Unit, entry: Entry): TypeReference | null {
    const own = this.#info.follow(unit, entry, attribute.type);
    if (own) return own;
    const declared = this.#info.follow(unit, entry, attribute.specification);
    if (!declared) return null;
    const of = this.#info.read(declared.unit, declared.offset, new Entry());
    return this.#info.follow(declared.unit, of, attribute.type);
  }

  #placeOf(unit: Unit, entry: Entry, name: string): VariablePlace | null {
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
      const block = this.#options.threadBlock();
      if (offset === null || !block) {
        this.#options.refuse(
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
