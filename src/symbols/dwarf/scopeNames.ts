import type { Demangler } from '../names/demangler.ts';
import { readableFromLinkage } from '../names/readableName.ts';
import { attribute, tag } from './constants.ts';
import type { DebugInfo, Unit } from './debugInfo.ts';
import { Entry } from './entry.ts';
import type { UnitScan } from './unitScan.ts';

/** What the chain of a function's entry, specification and abstract origin says about it. */
export interface FunctionDescription {
  /** Qualified, without parameters; empty when it has no name. */
  readonly name: string;
  /** As the linker knows it; empty when no entry says so. */
  readonly linkage: string;
  /** Absolute path, or empty. */
  readonly file: string;
  /** 0 when unknown. */
  readonly line: number;
  /** Set when the chain leads into another unit: the offset in .debug_info where it goes on. */
  readonly elsewhere: number;
}

const maxChain = 8;

/**
 * Names of the scopes of one scanned unit: a namespace or class is named by its own entry or the one it
 * completes (DW_AT_specification), and lies in the scope of that one (DWARF 5 §2.15, §3.3.8.2, §5.7).
 */
export class ScopeNames {
  readonly #info: DebugInfo;
  readonly #unit: Unit;
  readonly #scan: UnitScan;
  readonly #demangler: Demangler;
  readonly #texts: (string | undefined)[] = [];
  readonly #entry = new Entry();
  #elsewhere = -1;
  #file = 0;
  #line = 0;
  #linkage = '';
  #parent = -1;

  constructor(info: DebugInfo, unit: Unit, scan: UnitScan, demangler: Demangler) {
    this.#info = info;
    this.#unit = unit;
    this.#scan = scan;
    this.#demangler = demangler;
  }

  /** The qualified name of a scope row; empty when it has none or is named in another unit. */
  text(row: number): string {
    const known = this.#texts[row];
    if (known !== undefined) return known;
    // A damaged unit may make a scope its own ancestor.
    this.#texts[row] = '';
    const base = this.#follow(row);
    const linkage = this.#linkage;
    const isMissing = base === '' && this.#elsewhere >= 0;
    const parent = this.#parent < 0 ? '' : this.text(this.#parent);
    const path = base === '' ? '' : parent === '' ? base : `${parent}::${base}`;
    const text = isMissing ? '' : readable(path, linkage, this.#demangler);
    this.#texts[row] = text;
    return text;
  }

  /** Everything about a function row. Throws a RangeError at damage. */
  describe(row: number): FunctionDescription {
    const name = this.text(row);
    this.#follow(row);
    const linkage = this.#linkage;
    if (this.#file < 0 && this.#parent >= 0 && this.#elsewhere < 0)
      this.#takeDeclaration(this.#parent);
    const file = this.#file === 0 && this.#unit.header.version < 5 ? '' : (this.#fileName() ?? '');
    return { name, linkage, file, line: this.#line, elsewhere: this.#elsewhere };
  }

  /** The call operator of a lambda has no line of its own; its class does. */
  #takeDeclaration(row: number): void {
    this.#info.read(this.#unit, this.#scan.scopeOffsets[row] ?? 0, this.#entry);
    if (!this.#entry.has(attribute.declarationFile)) return;
    this.#file = this.#entry.value(attribute.declarationFile);
    this.#line = this.#entry.value(attribute.declarationLine);
  }

  #fileName(): string | undefined {
    return this.#file < 0 ? undefined : this.#info.lineHeader(this.#unit)?.files[this.#file];
  }

  /** Reads the chain from a row; returns the name and leaves the rest in the fields. */
  #follow(start: number): string {
    const entry = this.#entry;
    let name = '';
    let row = start;
    this.#elsewhere = -1;
    this.#file = -1;
    this.#line = 0;
    this.#linkage = '';
    for (let link = 0; link < maxChain; link++) {
      this.#parent = this.#scan.scopeParents[row] ?? -1;
      this.#info.read(this.#unit, this.#scan.scopeOffsets[row] ?? 0, entry);
      if (name === '') name = this.#nameOf(entry);
      if (this.#linkage === '') this.#linkage = this.#linkageOf(entry);
      if (this.#file < 0 && entry.has(attribute.declarationFile))
        this.#file = entry.value(attribute.declarationFile);
      if (this.#line === 0) this.#line = entry.value(attribute.declarationLine);
      const at = entry.has(attribute.specification)
        ? attribute.specification
        : attribute.abstractOrigin;
      const target = this.#info.follow(this.#unit, entry, at);
      if (target === null) break;
      if (target.unit !== this.#unit) {
        this.#elsewhere = target.unit.header.start + target.offset;
        // The scope is named there too.
        name = '';
        break;
      }
      const next = this.#scan.rowAt(target.offset);
      if (next < 0) break;
      row = next;
    }
    return name;
  }

  #nameOf(entry: Entry): string {
    if (entry.has(attribute.name)) return this.#info.text(this.#unit, entry, attribute.name);
    if (entry.has(attribute.specification) || entry.has(attribute.abstractOrigin)) return '';
    switch (entry.tag) {
      case tag.namespace:
        return '(anonymous namespace)';
      case tag.classType:
      case tag.structureType:
      case tag.unionType:
      case tag.enumerationType:
        return unnamedType;
      default:
        return '';
    }
  }

  #linkageOf(entry: Entry): string {
    if (entry.has(attribute.linkageName))
      return this.#info.text(this.#unit, entry, attribute.linkageName);
    if (entry.has(attribute.mipsLinkageName))
      return this.#info.text(this.#unit, entry, attribute.mipsLinkageName);
    return '';
  }
}

/** The entry's own path, except where only the linkage name says it: Rust's impl blocks, C++ lambdas. */
function readable(path: string, linkage: string, demangler: Demangler): string {
  return linkage === '' || !isIncomplete(path)
    ? path
    : readableFromLinkage(path, linkage, demangler);
}

/** Whether the linkage name may know more than this path. */
export function isIncomplete(path: string): boolean {
  return path === '' || path.includes('{impl#') || path.includes(unnamedType);
}

const unnamedType = '{unnamed type}';
