import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { wallMs } from '../../../base/clock.ts';
import { partAt } from '../dwarf/splitFiles.ts';
import type { IndexedPart } from '../dwarf/splitFiles.ts';
import { readExactly } from '../elf/sectionBytes.ts';
import type { IndexFacts, ModuleIndex } from './moduleIndex.ts';

/**
 * An index on disk:
 *
 *     "STRBSYM" + format version │ length of the head │ head: JSON with facts and columns │ columns, 8-aligned
 *
 * It is written beside its place and renamed, so a reader sees a whole file or none. Whatever does not
 * read back exactly is treated as absent.
 */
const formatVersion = 13;
const magic = `STRBSYM${String.fromCharCode(48 + formatVersion)}`;
const headStart = 16;
/** The oldest files are removed above this. */
const maxFolderBytes = 1 << 30;

interface Column {
  readonly name: string;
  readonly kind: 'u8' | 'u32' | 'f64';
  readonly offset: number;
  readonly length: number;
}

/** What a file is known by: its build id and size, or, without one, where and when it was written. */
export function indexKey(file: {
  path: string;
  buildId: string | null;
  size: number;
  modifiedMs: number;
  /** Of its separate debug information. */
  separate: { path: string; size: number; modifiedMs: number } | null;
}): string {
  const own = file.buildId === null ? `${file.path}\0${file.modifiedMs}` : file.buildId;
  const { separate } = file;
  const identity = separate
    ? `${own}\0${separate.path}\0${separate.size}\0${separate.modifiedMs}`
    : own;
  return createHash('sha256')
    .update(`${formatVersion}\0${identity}\0${file.size}`)
    .digest('hex')
    .slice(0, 40);
}

function columnsOf(
  index: ModuleIndex,
): Readonly<Record<string, Uint8Array | Uint32Array | Float64Array>> {
  return {
    addresses: index.addresses,
    sizes: index.sizes,
    names: index.names,
    entries: index.entries,
    symbols: index.symbols,
    fileNumbers: index.fileNumbers,
    lines: index.lines,
    flags: index.flags,
    nameFiles: index.nameFiles,
    nameParents: index.nameTree.parents,
    nameSegments: index.nameTree.segments,
    segmentBytes: index.nameTree.texts.bytes,
    segmentStarts: index.nameTree.texts.starts,
    fileBytes: index.files.bytes,
    fileStarts: index.files.starts,
    linkageBytes: index.linkage.bytes,
    linkageStarts: index.linkage.starts,
    inlinedNames: index.inlinedNames,
    inlinedCallers: index.inlinedCallers,
    inlinedSites: index.inlinedSites,
  };
}

/** Throws the system's error when the folder cannot be written. */
export function saveIndex(folder: string, key: string, index: ModuleIndex): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const columns: Column[] = [];
  const arrays = Object.entries(columnsOf(index));
  let offset = 0;
  for (const [name, array] of arrays) {
    const kind = array instanceof Uint8Array ? 'u8' : array instanceof Uint32Array ? 'u32' : 'f64';
    columns.push({ name, kind, offset, length: array.length });
    offset = aligned(offset + array.byteLength);
  }
  const head = Buffer.from(JSON.stringify({ facts: index.facts, columns, bytes: offset }));
  const start = Buffer.alloc(aligned(headStart + head.length));
  start.write(magic, 0, 'latin1');
  start.writeUInt32LE(head.length, 8);
  head.copy(start, headStart);
  const temporary = join(folder, `${key}.${randomUUID()}.tmp`);
  try {
    const fd = openSync(temporary, 'w', 0o600);
    try {
      writeAll(fd, start);
      for (const [, array] of arrays) {
        writeAll(fd, array);
        writeAll(fd, new Uint8Array(aligned(array.byteLength) - array.byteLength));
      }
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, pathOf(folder, key));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  removeOldest(folder);
}

function writeAll(fd: number, { buffer, byteOffset, byteLength }: NodeJS.TypedArray): void {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}

function aligned(offset: number): number {
  return (offset + 7) & ~7;
}

function pathOf(folder: string, key: string): string {
  return join(folder, `${key}.index`);
}

function removeOldest(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.index') || name.endsWith('.tmp'))
    .map((name) => ({
      path: join(folder, name),
      stat: statSync(join(folder, name), { throwIfNoEntry: false }),
    }))
    .toSorted((a, b) => (b.stat?.mtimeMs ?? 0) - (a.stat?.mtimeMs ?? 0));
  let total = 0;
  for (const { path, stat } of files) {
    total += stat?.size ?? 0;
    if (total > maxFolderBytes) rmSync(path, { force: true });
  }
}

/** Null when there is none, it is damaged or of another format, or made from parts that changed. */
export function loadIndex(folder: string, key: string): ModuleIndex | null {
  let fd: number;
  try {
    fd = openSync(pathOf(folder, key), 'r');
  } catch {
    return null;
  }
  try {
    const index = decode(readExactly(fd, 0, fstatSync(fd).size));
    if (index?.facts.parts.some(hasChanged)) return null;
    // Age means last use here.
    if (index !== null) touch(pathOf(folder, key));
    return index;
  } catch {
    // Damage is repaired by building the index again.
    return null;
  } finally {
    closeSync(fd);
  }
}

function hasChanged({ path, size, modifiedMs }: IndexedPart): boolean {
  const now = partAt(path);
  return now.size !== size || now.modifiedMs !== modifiedMs;
}

function touch(path: string): void {
  const seconds = wallMs() / 1000;
  utimesSync(path, seconds, seconds);
}

function decode(bytes: Uint8Array): ModuleIndex | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (file.length < headStart || file.toString('latin1', 0, 8) !== magic) return null;
  const headLength = file.readUInt32LE(8);
  const head: unknown = JSON.parse(file.toString('utf8', headStart, headStart + headLength));
  const base = aligned(headStart + headLength);
  if (!isHead(head) || base + head.bytes !== file.length) return null;
  const buffer = bytes.buffer;
  const column = (name: string, kind: Column['kind']): { offset: number; length: number } => {
    const found = head.columns.find(
      (candidate) => candidate.name === name && candidate.kind === kind,
    );
    if (found === undefined) throw new RangeError(`no column ${name}`);
    return { offset: base + found.offset, length: found.length };
  };
  const u8 = (name: string): Uint8Array => {
    const { offset, length } = column(name, 'u8');
    return new Uint8Array(buffer, offset, length);
  };
  const u32 = (name: string): Uint32Array => {
    const { offset, length } = column(name, 'u32');
    return new Uint32Array(buffer, offset, length);
  };
  const f64 = (name: string): Float64Array => {
    const { offset, length } = column(name, 'f64');
    return new Float64Array(buffer, offset, length);
  };
  return {
    facts: head.facts,
    addresses: f64('addresses'),
    sizes: u32('sizes'),
    names: u32('names'),
    entries: f64('entries'),
    symbols: u32('symbols'),
    fileNumbers: u32('fileNumbers'),
    lines: u32('lines'),
    flags: u8('flags'),
    nameFiles: u32('nameFiles'),
    nameTree: {
      parents: u32('nameParents'),
      segments: u32('nameSegments'),
      texts: { bytes: u8('segmentBytes'), starts: u32('segmentStarts') },
    },
    files: { bytes: u8('fileBytes'), starts: u32('fileStarts') },
    linkage: { bytes: u8('linkageBytes'), starts: u32('linkageStarts') },
    inlinedNames: u32('inlinedNames'),
    inlinedCallers: u32('inlinedCallers'),
    inlinedSites: u32('inlinedSites'),
  };
}

interface Head {
  readonly facts: IndexFacts;
  readonly columns: readonly Column[];
  readonly bytes: number;
}

/** The version in the magic vouches for the rest of the shape. */
function isHead(value: unknown): value is Head {
  return (
    typeof value === 'object' &&
    value !== null &&
    'facts' in value &&
    typeof value.facts === 'object' &&
    'columns' in value &&
    Array.isArray(value.columns) &&
    'bytes' in value &&
    typeof value.bytes === 'number'
  );
}
