import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { mappingOf, parseMapping, type Mapping } from '../../../model/endings/snapshot.ts';

/** A place in a file that is mapped: bytes from where the file begins in memory. */
export interface PlaceInModule {
  readonly module: string;
  readonly offset: number;
}

/** What a process has mapped, as it was when this was made. */
export class ProcessMaps {
  readonly mappings: readonly Mapping[];
  readonly #pid: number;

  /** Throws the system's error when the process is gone. */
  constructor(pid: number) {
    this.#pid = pid;
    this.mappings = readFileSync(`/proc/${pid}/maps`, 'utf8')
      .split('\n')
      .flatMap((line) => parseMapping(line) ?? []);
  }

  /** Where a file begins in memory; null: it is not loaded. */
  baseOf(module: string): bigint | null {
    return this.mappings.find(({ path }) => path === module)?.start ?? null;
  }

  /** Null for code that is in no file. */
  placeOf(address: bigint): PlaceInModule | null {
    const path = mappingOf(this.mappings, address)?.path ?? '';
    const base = path.startsWith('/') ? this.baseOf(path) : null;
    return base === null ? null : { module: path, offset: Number(address - base) };
  }

  addressOf({ module, offset }: PlaceInModule): bigint | null {
    const base = this.baseOf(module);
    return base === null ? null : base + BigInt(offset);
  }

  /** Where a jump begins that a hook or a recording breakpoint put over the code at an address; null: there is none. */
  jumpOver(address: bigint): bigint | null {
    const row = mappingOf(this.mappings, address);
    const [least, most] = [address - BigInt(jumpBytes - 1), address + BigInt(jumpBytes)];
    if (row === null || !row.path.startsWith('/') || least < row.start) return null;
    const length = Number(most - least);
    const memory = readBytes(`/proc/${this.#pid}/mem`, least, length);
    const file = readBytes(row.path, row.offset + (least - row.start), length);
    if (memory === null || file === null) return null;
    for (let at = 0; at < jumpBytes; at++) {
      const differs = Buffer.compare(
        memory.subarray(at, at + jumpBytes),
        file.subarray(at, at + jumpBytes),
      );
      if (memory[at] === jump && differs !== 0) return least + BigInt(at);
    }
    return null;
  }

  /** All that can be read of its memory, to be read on demand. */
  stored(): { address: bigint; length: number; path: string; offset: number }[] {
    const path = `/proc/${this.#pid}/mem`;
    return this.mappings
      .filter(({ protection, start }) => protection.startsWith('r') && start < highest)
      .map(({ start, end }) => ({
        address: start,
        length: Number(end - start),
        path,
        offset: Number(start),
      }));
  }
}

/** jmp rel32 */
const jump = 0xe9;
const jumpBytes = 5;
/** Above it is the kernel's. */
const highest = 1n << 47n;

function readBytes(path: string, offset: bigint, length: number): Buffer | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    const bytes = Buffer.alloc(length);
    return readSync(file, bytes, 0, length, offset) === length ? bytes : null;
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}
