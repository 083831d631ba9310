import { NumberMap } from '../../../../base/numberMap.ts';
import type { Demangler } from '../../names/demangler.ts';
import { LambdaNames } from '../../names/lambdaNames.ts';
import { unnamedType } from '../../names/nameTree.ts';
import type { NameNumbers } from '../../names/nameTree.ts';
import { readableFromLinkage } from '../../names/readableName.ts';
import type { TextNumbers } from '../../names/textTable.ts';
import { naming } from '../abbreviations.ts';
import { attribute, form, tag } from '../constants.ts';
import { Cursor } from '../cursor.ts';
import type { DebugInfo } from '../debugInfo.ts';
import type { DebugSource } from '../debugSource.ts';
import { SectionTexts } from '../../elf/sectionTexts.ts';
import { Entry } from '../entry.ts';
import { StepReader } from '../stepReader.ts';
import { sectionText, stringOffset } from '../stringSections.ts';
import type { Unit } from '../unitTable.ts';
import type { UnitScan } from '../unitScan.ts';

const maxChain = 8;
const none = new Uint8Array(0);

/** What the chain of an entry, its specification and abstract origin says; forms are 0 where it is silent. */
class Chain {
  nameForm = 0;
  nameValue = 0;
  /** How an entry without a name is called; empty when it has one or needs none. */
  nameless = '';
  linkageForm = 0;
  linkageValue = 0;
  /** Number of the file in the line table; -1 when not said. */
  file = -1;
  line = 0;
  /** Row of the scope around the last of the chain; -1 at the top. */
  parent = -1;
  /** Of a class at the top that is described in a type unit, where gcc leaves out the namespaces around it. */
  scope = '';
  /** Set when the chain leads into another unit: the offset where it goes on. */
  elsewhere = -1;

  clear(): void {
    this.nameForm = 0;
    this.nameless = '';
    this.linkageForm = 0;
    this.file = -1;
    this.line = 0;
    this.parent = -1;
    this.scope = '';
    this.elsewhere = -1;
  }
}

/** What is found out about a function. */
export interface FunctionFacts {
  /** Number of its qualified name, without parameters; 0 when it has none. */
  readonly name: number;
  /** 1 + number of its file; 0 = unknown. */
  readonly file: number;
  /** 0 when unknown. */
  readonly line: number;
  /** Set when the chain leads into another unit: the offset where it goes on; else -1. */
  readonly elsewhere: number;
}

/**
 * Names of the scopes of one scanned unit after the other: a namespace or class is named by its own entry or the one
 * it completes (DW_AT_specification), and lies in the scope of that one (DWARF 5 §2.15, §3.3.8.2, §5.7).
 */
export class ScopeNames {
  readonly #info: DebugInfo;
  readonly #scan: UnitScan;
  readonly #names: NameNumbers;
  readonly #files: TextNumbers;
  readonly #demangler: Demangler;
  readonly #reader = new StepReader(naming.count);
  readonly #entry = new Entry();
  /** Of the function at hand, and of a scope around it. */
  readonly #own = new Chain();
  readonly #outer = new Chain();
  /** Row → number of its name, -1 where it was not asked for. */
  #numbers = new Int32Array(1 << 12);
  /** File of the line table → 1 + number of its path, 0 for none. */
  #fileNumbers: (number | undefined)[] = [];
  readonly #lambdas = new LambdaNames();
  /** Offset in .debug_str → number of the segment. */
  readonly #segments = new Map<DebugSource, NumberMap>();
  #unit: Unit | null = null;
  #cursor = new Cursor(none);
  #strings = new SectionTexts(none);
  #known = new NumberMap();

  constructor(
    info: DebugInfo,
    scan: UnitScan,
    into: {
      readonly names: NameNumbers;
      readonly files: TextNumbers;
      readonly demangler: Demangler;
    },
  ) {
    this.#info = info;
    this.#scan = scan;
    this.#names = into.names;
    this.#files = into.files;
    this.#demangler = into.demangler;
  }

  /** Goes on with a unit that `scan` holds now. */
  begin(unit: Unit): void {
    const { scopeCount } = this.#scan;
    if (this.#numbers.length < scopeCount) this.#numbers = new Int32Array(scopeCount * 2);
    this.#numbers.fill(-1, 0, scopeCount);
    this.#fileNumbers = [];
    this.#unit = unit;
    this.#cursor = this.#info.cursor(unit);
    this.#strings = unit.source.texts('.debug_str');
    let known = this.#segments.get(unit.source);
    if (known === undefined) {
      known = new NumberMap();
      this.#segments.set(unit.source, known);
    }
    this.#known = known;
  }

  get #current(): Unit {
    if (this.#unit === null) throw new Error('No unit was begun.');
    return this.#unit;
  }

  /** Reads the chain of a function row, for the questions below. Throws a RangeError at damage. */
  read(row: number): void {
    this.#follow(row, this.#own);
  }

  /** Where the linkage name of the function read lies in .debug_str, the same in every copy of it; -1 when it does not. */
  get linkageAt(): number {
    const { linkageForm, linkageValue } = this.#own;
    return linkageForm === 0 ? -1 : stringOffset(this.#current, linkageForm, linkageValue);
  }

  get hasLinkage(): boolean {
    return this.#own.linkageForm !== 0;
  }

  /** Whether the linkage name of the function read is the NUL-terminated text at `start`. */
  linkageIs(bytes: Uint8Array, start: number): boolean {
    const offset = this.linkageAt;
    if (offset < 0) {
      const { linkageForm, linkageValue } = this.#own;
      const text = Buffer.from(`${this.#text(linkageForm, linkageValue)}\0`);
      return linkageForm !== 0 && text.equals(bytes.subarray(start, start + text.length));
    }
    const strings = this.#strings.bytes;
    for (let i = 0; ; i++) {
      const byte = strings[offset + i];
      if (byte === undefined || byte !== bytes[start + i]) return false;
      if (byte === 0) return true;
    }
  }

  /** Everything about the function row that was read last. */
  describe(row: number): FunctionFacts {
    const own = this.#own;
    const { elsewhere } = own;
    let { file, line } = own;
    if (file < 0 && own.parent >= 0 && elsewhere < 0) {
      // The call operator of a lambda has no line of its own; its class does.
      this.#readEntry(own.parent);
      const { forms, values } = this.#reader;
      if (forms[naming.file] !== 0) {
        file = values[naming.file] ?? 0;
        line = forms[naming.line] === 0 ? 0 : (values[naming.line] ?? 0);
      }
    }
    const known = this.#numbers[row] ?? -1;
    const name = known >= 0 ? known : this.#nameFrom(row, own);
    return { name, file: this.#fileNumber(file), line, elsewhere };
  }

  /** The number of the qualified name of a scope row; 0 when it has none or is named in another unit. */
  nameOf(row: number): number {
    const known = this.#numbers[row] ?? -1;
    if (known >= 0) return known;
    this.#follow(row, this.#outer);
    return this.#nameFrom(row, this.#outer);
  }

  #nameFrom(row: number, chain: Chain): number {
    // A damaged unit may make a scope its own ancestor.
    this.#numbers[row] = 0;
    const { parent, scope, linkageForm, linkageValue, elsewhere } = chain;
    const segment = this.#segmentOf(chain);
    if (segment === 0 && elsewhere >= 0) return 0;
    const outside = parent >= 0 ? this.nameOf(parent) : scope === '' ? 0 : this.#names.path(scope);
    let number = segment === 0 ? 0 : this.#names.child(outside, segment);
    // Only the linkage name says it: Rust's impl blocks, C++ lambdas.
    if (linkageForm !== 0 && this.#names.isIncomplete(number)) {
      const linkage = this.#text(linkageForm, linkageValue);
      if (linkage !== '') number = this.#nameByLinkage(number, linkage);
    }
    this.#numbers[row] = number;
    return number;
  }

  #nameByLinkage(number: number, linkage: string): number {
    const known = this.#lambdas.find(number, linkage);
    if (known !== null) return this.#names.path(known);
    const path = this.#names.text(number);
    const text = readableFromLinkage(path, linkage, this.#demangler);
    this.#lambdas.note(number, linkage, text);
    return text === path ? number : this.#names.path(text);
  }

  #segmentOf({ nameForm, nameValue, nameless, elsewhere }: Chain): number {
    // What is described in another unit is named there, with its scope.
    if (elsewhere >= 0) return 0;
    if (nameForm === 0) return nameless === '' ? 0 : this.#names.segment(nameless);
    if (nameForm === form.string) {
      const { bytes } = this.#cursor;
      return this.#names.segmentOfBytes(bytes, nameValue, endOfText(bytes, nameValue));
    }
    const offset = stringOffset(this.#current, nameForm, nameValue);
    if (offset < 0) return this.#names.segment(this.#text(nameForm, nameValue));
    let number = this.#known.get(offset);
    if (number < 0) {
      const strings = this.#strings;
      number = this.#names.segmentOfBytes(strings.bytes, offset, strings.endOf(offset));
      this.#known.set(offset, number);
    }
    return number;
  }

  #text(code: number, value: number): string {
    if (code !== form.string) return code === 0 ? '' : sectionText(this.#current, code, value);
    const { bytes } = this.#cursor;
    return Buffer.from(bytes.subarray(value, endOfText(bytes, value))).toString('utf8');
  }

  #fileNumber(file: number): number {
    if (file < 0 || (file === 0 && this.#current.header.version < 5)) return 0;
    let number = this.#fileNumbers[file];
    if (number === undefined) {
      const path = this.#info.lineHeader(this.#current)?.files[file] ?? '';
      number = path === '' ? 0 : this.#files.numberOf(path) + 1;
      if (file < maxFile) this.#fileNumbers[file] = number;
    }
    return number;
  }

  /** Reads what names the entry of a row; returns its tag. */
  #readEntry(row: number): number {
    const { table, header } = this.#current;
    const cursor = this.#cursor;
    cursor.at = this.#scan.scopeOffsets[row] ?? 0;
    const code = cursor.uleb();
    this.#reader.clear();
    this.#reader.run(cursor, cursor.at, code, table.naming, header);
    return table.tags[code] ?? 0;
  }

  #follow(start: number, chain: Chain): void {
    chain.clear();
    let row = start;
    for (let link = 0; link < maxChain; link++) {
      chain.parent = this.#scan.scopeParents[row] ?? -1;
      const kind = this.#readEntry(row);
      const next = this.#take(chain, kind, row);
      if (next < 0) return;
      row = next;
    }
  }

  /** Takes what the entry read says and the chain does not yet; returns the row where it goes on, or -1. */
  #take(chain: Chain, kind: number, row: number): number {
    const { forms, values } = this.#reader;
    const goesOn = forms[naming.specification] !== 0 ? naming.specification : naming.origin;
    const code = forms[goesOn] ?? 0;
    const value = values[goesOn] ?? 0;
    if (chain.nameForm === 0) {
      chain.nameForm = forms[naming.name] ?? 0;
      chain.nameValue = values[naming.name] ?? 0;
      if (chain.nameForm === 0 && code === 0) chain.nameless = namelessName(kind);
    }
    if (chain.linkageForm === 0) this.#takeLinkage(chain);
    if (chain.file < 0 && forms[naming.file] !== 0) chain.file = values[naming.file] ?? 0;
    if (chain.line === 0 && forms[naming.line] !== 0) chain.line = values[naming.line] ?? 0;
    if (forms[naming.signature] !== 0) this.#takeSigned(chain, row);
    return code === 0 ? -1 : this.#next(chain, code, value, { row, goesOn });
  }

  #takeLinkage(chain: Chain): void {
    const { forms, values } = this.#reader;
    const slot = forms[naming.linkage] === 0 ? naming.oldLinkage : naming.linkage;
    chain.linkageForm = forms[slot] ?? 0;
    chain.linkageValue = values[slot] ?? 0;
  }

  #next(
    chain: Chain,
    code: number,
    value: number,
    { row, goesOn }: { readonly row: number; readonly goesOn: number },
  ): number {
    const unit = this.#current;
    const { start, end } = unit.header;
    let target = this.#info.reference(unit, code, value);
    if (code === form.refSig8) {
      const entry = this.#info.read(unit, this.#scan.scopeOffsets[row] ?? 0, this.#entry);
      const at =
        goesOn === naming.specification ? attribute.specification : attribute.abstractOrigin;
      const found = this.#info.follow(unit, entry, at);
      target = found === null ? -1 : found.unit.header.start + found.offset;
    }
    if (target >= start && target < end) return this.#scan.rowAt(target - start);
    if (target >= 0 && this.#info.unitAt(target) !== null) chain.elsewhere = target;
    return -1;
  }

  /** The type that an entry only declares is named by its type unit. */
  #takeSigned(chain: Chain, row: number): void {
    const unit = this.#current;
    const entry = this.#info.read(unit, this.#scan.scopeOffsets[row] ?? 0, this.#entry);
    const signed = this.#info.signedName(unit, entry);
    if (chain.nameForm === 0) chain.nameless = signed.name;
    if (chain.parent < 0) chain.scope = signed.scope;
  }
}

/** Numbers above are not kept: a damaged entry may hold any. */
const maxFile = 1 << 20;

function endOfText(bytes: Uint8Array, start: number): number {
  const end = bytes.indexOf(0, start);
  return end < 0 ? bytes.length : end;
}

function namelessName(kind: number): string {
  switch (kind) {
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
