import type {
  Mapping,
  SignalFacts,
  Snapshot,
  SnapshotThread,
  StoredPart,
} from '../../../model/endings/snapshot.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { Processor, ProcessorName } from '../../../model/processor.ts';
import { processorOfMachine } from '../../../model/processors.ts';
import { readSignal } from '../../../model/endings/signals.ts';
import { ElfFile } from '../elf/elfFile.ts';
import { DamagedError } from '../elf/sectionBytes.ts';
import { readPiece } from '../unwind/codeMap.ts';

/** What a core file says beside its memory. */
export interface CoreFile {
  readonly snapshot: Snapshot;
  /** Arguments as the kernel kept them, at most 80 characters; empty when unknown. */
  readonly commandLine: string;
}

const coreType = 4;
const segmentType = { load: 1, note: 4 } as const;
const segmentFlag = { execute: 1, write: 2, read: 4 } as const;
/** Note types (Linux, include/uapi/linux/elf.h). */
const note = {
  status: 1,
  floats: 2,
  process: 3,
  signal: 0x5349_4749,
  files: 0x4649_4c45,
} as const;
const maxNoteBytes = 64 << 20;

const statusAt = { signal: 12, pid: 32, registers: 112 } as const;

/** How NT_PRSTATUS and NT_PRFPREG look (user_regs_struct, user_pt_regs and what belongs to them). */
interface CoreLayout {
  /** Words of the registers, in the order of DWARF. */
  readonly order: readonly number[];
  readonly statusBytes: number;
  readonly floatBytes: number;
  /** Offset of the vector registers in the second. */
  readonly vectorsAt: number;
}

const coreLayouts: Readonly<Record<ProcessorName, CoreLayout>> = {
  x64: { order: [10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16],
    statusBytes: 336, floatBytes: 416, vectorsAt: 160,
  },
};

interface Note {
  readonly type: number;
  readonly bytes: DataView;
}

/** Reads an ELF core file of Linux on x86-64. Throws BAD_BINARY when it is none. */
export function readCore(path: string): CoreFile {
  let elf: ElfFile;
  try {
    elf = ElfFile.open(path);
  } catch (error) {
    const reason = error instanceof DamagedError ? error.message : String(error);
    throw new StrobeError('BAD_BINARY', `The core file ${path} cannot be read: ${reason}.`);
  }
  using file = elf;
  const processor = processorOfMachine(file.machine);
  if (file.type !== coreType || processor === null)
    throw new StrobeError('BAD_BINARY', `${path} is no core file of an x86-64 program.`);
  const notes = [...notesOf(file)];
  const loads = file.segments.filter((segment) => segment.type === segmentType.load);
  const isCut = loads.some((segment) => segment.offset + segment.fileSize > file.size);
  const threads = threadsOf(notes, processor);
  const process = notes.find(({ type }) => type === note.process);
  return {
    snapshot: {
      pid: threads[0]?.tid ?? 0,
      processor: processor.name,
      signal: signalOf(notes),
      threads,
      mappings: mappingsOf(file, filesOf(notes)),
      memory: [],
      stored: loads.flatMap((segment): StoredPart[] =>
        segment.fileSize === 0
          ? []
          : [
              {
                address: BigInt(segment.address),
                length: segment.fileSize,
                path,
                offset: segment.offset,
              },
            ],
      ),
      openFiles: null,
      problems: [
        ...(isCut ? [`${path} was cut short: parts of the memory are missing.`] : []),
        'A core file does not tell which files were open.',
      ],
    },
    commandLine: process === undefined ? '' : textAt(process.bytes, 56, 80),
  };
}

function* notesOf(elf: ElfFile): Generator<Note> {
  for (const segment of elf.segments) {
    if (segment.type !== segmentType.note || segment.fileSize > maxNoteBytes) continue;
    const bytes = readPiece(elf.path, segment.offset, segment.fileSize);
    if (bytes === null) continue;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at + 12 <= bytes.length;) {
      const nameSize = view.getUint32(at, true);
      const size = view.getUint32(at + 4, true);
      const start = at + 12 + ((nameSize + 3) & ~3);
      if (start + size > bytes.length) break;
      yield {
        type: view.getUint32(at + 8, true),
        bytes: new DataView(bytes.buffer, bytes.byteOffset + start, size),
      };
      at = start + ((size + 3) & ~3);
    }
  }
}

/** NT_PRSTATUS begins each thread's notes; the thread that died comes first. */
function threadsOf(notes: readonly Note[], { name, vectors }: Processor): SnapshotThread[] {
  const layout = coreLayouts[name];
  const threads: SnapshotThread[] = [];
  for (const { type, bytes } of notes) {
    if (type === note.status && bytes.byteLength >= layout.statusBytes) {
      threads.push({
        tid: bytes.getInt32(statusAt.pid, true),
        name: '',
        isOurs: false,
        registers: layout.order.map((word) =>
          bytes.getBigUint64(statusAt.registers + word * 8, true),
        ),
        vectors: null,
        systemCall: null,
      });
    } else if (type === note.floats && bytes.byteLength >= layout.floatBytes) {
      const last = threads.pop();
      const from = bytes.byteOffset + layout.vectorsAt;
      const kept = new Uint8Array(bytes.buffer, from, vectors * 16).slice();
      if (last !== undefined) threads.push({ ...last, vectors: kept });
    }
  }
  return threads;
}

function signalOf(notes: readonly Note[]): SignalFacts | null {
  const info = notes.find(({ type }) => type === note.signal);
  const known = info === undefined ? null : readSignal(info.bytes, null);
  if (known !== null) return known;
  const status = notes.find(({ type }) => type === note.status);
  const number = status?.bytes.getInt16(statusAt.signal, true) ?? 0;
  return number === 0 ? null : { number, code: 0, address: null, sender: null, monotonicNs: null };
}

interface MappedFile {
  readonly start: bigint;
  readonly end: bigint;
  readonly offset: bigint;
  readonly path: string;
}

/** NT_FILE: count, page size, count × (start, end, offset in pages), count names. */
function filesOf(notes: readonly Note[]): MappedFile[] {
  const bytes = notes.find(({ type }) => type === note.files)?.bytes;
  if (bytes === undefined || bytes.byteLength < 16) return [];
  const count = Number(bytes.getBigUint64(0, true));
  const page = bytes.getBigUint64(8, true);
  if (count > 1_000_000 || 16 + count * 24 > bytes.byteLength) return [];
  const files: MappedFile[] = [];
  let nameAt = 16 + count * 24;
  for (let i = 0; i < count; i++) {
    const at = 16 + i * 24;
    const path = textAt(bytes, nameAt, bytes.byteLength - nameAt);
    nameAt += Buffer.byteLength(path) + 1;
    files.push({
      start: bytes.getBigUint64(at, true),
      end: bytes.getBigUint64(at + 8, true),
      offset: bytes.getBigUint64(at + 16, true) * page,
      path,
    });
  }
  return files;
}

function mappingsOf(elf: ElfFile, files: readonly MappedFile[]): Mapping[] {
  const mappings = elf.segments
    .filter((segment) => segment.type === segmentType.load)
    .map((segment): Mapping => {
      const start = BigInt(segment.address);
      const file = files.find((one) => start >= one.start && start < one.end);
      const letter = (flag: number, text: string): string =>
        (segment.flags & flag) === 0 ? '-' : text;
      return {
        start,
        end: start + BigInt(segment.memorySize),
        protection: `${letter(segmentFlag.read, 'r')}${letter(segmentFlag.write, 'w')}${letter(segmentFlag.execute, 'x')}p`,
        offset: file === undefined ? 0n : file.offset + (start - file.start),
        path: file?.path ?? '',
        isDeleted: false,
      };
    });
  // Some writers leave out what the files hold: the list of files knows where it was.
  for (const file of files) {
    if (mappings.some((row) => row.start < file.end && row.end > file.start)) continue;
    mappings.push({ ...file, protection: 'r-xp', isDeleted: false });
  }
  return mappings.toSorted((a, b) => (a.start < b.start ? -1 : 1));
}

function textAt(view: DataView, at: number, length: number): string {
  const bytes = new Uint8Array(
    view.buffer,
    view.byteOffset + at,
    Math.min(length, view.byteLength - at),
  );
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString('utf8');
}
