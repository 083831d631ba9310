import {
  functionFlags,
  type DefinedLanguage,
  type FileDefinition,
  type NameDefinition,
  type StrandDefinition,
  type StrandKind,
  type TypeDefinition,
} from '../../model/functions/definition.ts';
import {
  definitionEntry,
  definitionKind,
  definitionLanguage,
  definitions,
  strandKind,
} from '../../protocol/definitions.ts';
import { record } from '../../protocol/record.ts';

/** A function as its process defined it. */
export interface DefinedFunction {
  readonly kind: 'function';
  /** Of the process. */
  readonly number: number;
  readonly language: DefinedLanguage;
  readonly qualifiedName: string;
  /** Number of its file. */
  readonly file: number;
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly flags: number;
  readonly parameters: readonly string[];
  readonly probe?: string;
}

/** What one entry defines. */
export type Entry =
  DefinedFunction | TypeDefinition | FileDefinition | NameDefinition | StrandDefinition;

/** What a run of bytes holds. */
export interface Entries {
  /** Null stands for one that says nothing that is known. */
  readonly entries: readonly (Entry | null)[];
  /** Bytes of whole entries. */
  readonly bytes: number;
  /** What comes then can be no entry, however much is still written. */
  readonly isDamaged: boolean;
}

/** Reads the whole entries that `bytes` begins with. */
export function readEntries(bytes: Buffer): Entries {
  const entries: (Entry | null)[] = [];
  let at = 0;
  while (bytes.length - at >= definitions.entryBytes) {
    const length = bytes.readUInt32LE(at + definitionEntry.length);
    const isPossible =
      length % 8 === 0 && length >= definitions.entryBytes && length <= definitions.mostBytes;
    if (!isPossible) return { entries, bytes: at, isDamaged: true };
    if (at + length > bytes.length) break;
    entries.push(entryIn(bytes.subarray(at, at + length)));
    at += length;
  }
  return { entries, bytes: at, isDamaged: false };
}

function entryIn(bytes: Buffer): Entry | null {
  const kind = bytes.readUInt16LE(definitionEntry.kind);
  const number = bytes.readUInt32LE(definitionEntry.number);
  const language = languages.get(bytes.readUInt16LE(definitionEntry.language)) ?? 'other';
  const fields = new Fields(bytes.subarray(definitionEntry.fields));
  const entry = definedBy(kind, number, language, bytes.readUInt32LE(definitionEntry.line), fields);
  const isLocal = number >= record.localFunctions && number < 2 ** record.functionBits;
  return fields.isWhole && (entry?.kind !== 'function' || isLocal) ? entry : null;
}

function definedBy(
  kind: number,
  number: number,
  language: DefinedLanguage,
  line: number,
  fields: Fields,
): Entry | null {
  switch (kind) {
    case definitionKind.function:
      return functionIn(number, language, line, fields);
    case definitionKind.type:
      return {
        kind: 'type',
        number,
        language,
        name: fields.text(),
        module: fields.text(),
        flags: fields.word(),
      };
    case definitionKind.file:
      return { kind: 'file', number, language, path: fields.text(), digest: fields.text() };
    case definitionKind.name:
      return { kind: 'name', number, language, name: fields.text() };
    case definitionKind.strand: {
      const of = strands.get(fields.word());
      const name = fields.text();
      return of === undefined
        ? null
        : { kind: 'strand', number, language, strand: { kind: of, name } };
    }
    default:
      return null;
  }
}

function functionIn(
  number: number,
  language: DefinedLanguage,
  line: number,
  fields: Fields,
): DefinedFunction {
  const defined = {
    kind: 'function',
    number,
    language,
    qualifiedName: fields.text(),
    line,
    file: fields.word(),
    column: fields.word(),
    offset: fields.word(),
    flags: fields.word(),
    parameters: fields.texts(),
  } as const;
  const isStatement = (defined.flags & functionFlags.statement) !== 0;
  return isStatement ? { ...defined, probe: fields.text() } : defined;
}

/** The fields of one entry, in their order; what is not there is empty. */
class Fields {
  readonly #bytes: Buffer;
  #at = 0;
  #isWhole = true;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** All that was asked for was there. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  word(): number {
    if (!this.#has(4)) return 0;
    this.#at += 4;
    return this.#bytes.readUInt32LE(this.#at - 4);
  }

  text(): string {
    const length = this.word();
    if (!this.#has(length)) return '';
    this.#at += length;
    return this.#bytes.toString('utf8', this.#at - length, this.#at);
  }

  texts(): string[] {
    const texts: string[] = [];
    for (let count = this.word(); count > 0 && this.#isWhole; count--) texts.push(this.text());
    return texts;
  }

  #has(bytes: number): boolean {
    if (this.#at + bytes > this.#bytes.length) this.#isWhole = false;
    return this.#isWhole;
  }
}

const languages = new Map<number, DefinedLanguage>(
  inverted(definitionLanguage, ['python', 'javascript', 'go', 'other']),
);
const strands = new Map<number, StrandKind>(
  inverted(strandKind, ['task', 'goroutine', 'test', 'greenlet']),
);

function inverted<Name extends string>(
  codes: Readonly<Record<Name, number>>,
  names: readonly Name[],
): [number, Name][] {
  return names.map((name) => [codes[name], name]);
}
