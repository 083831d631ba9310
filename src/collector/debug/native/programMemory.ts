import { memoryOf, writeMemoryOf } from '../../../base/proc.ts';
import type { Evaluated, EvaluateRequest } from '../../../model/debug/evaluated.ts';
import type { MemoryRegion } from '../../../model/debug/memorySearch.ts';
import { mappingOf, type Mapping } from '../../../model/endings/snapshot.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { NativeCode } from '../../native/nativeParts.ts';
import type { TracedSession } from '../../tracer.ts';
import type { RunningMemory } from '../debugger.ts';
import { processSnapshot } from './heldThread.ts';
import { ProcessMaps } from './processMaps.ts';

/** What is mapped for the instrumentation alone. */
const oursMapped =
  /^\/dev\/shm\/strobe-|\/(?:memfd:)?frida-agent|\/(?:engine|python)\.so$|^\/memfd:/;

/** Memory of a process of machine code, whether its threads run or stand still. */
export class ProgramMemory implements RunningMemory {
  readonly #pid: number;
  readonly #session: TracedSession;
  readonly #code: NativeCode;

  constructor(pid: number, session: TracedSession, code: NativeCode) {
    this.#pid = pid;
    this.#session = session;
    this.#code = code;
  }

  async evaluate(request: EvaluateRequest): Promise<Evaluated> {
    const snapshot = processSnapshot(this.#pid, new ProcessMaps(this.#pid));
    return await this.#code.evaluate(snapshot, this.#session, request);
  }

  read(address: bigint, length: number): Uint8Array {
    return memoryOf(this.#pid, address, length);
  }

  write(address: bigint, bytes: Uint8Array): void {
    const row = mappingOf(new ProcessMaps(this.#pid).mappings, address);
    if (row?.protection.includes('w') !== true)
      throw new StrobeError('BAD_EXPRESSION', 'The program itself may not write there.');
    writeMemoryOf(this.#pid, address, bytes);
  }

  regions(): readonly MemoryRegion[] {
    const { mappings } = new ProcessMaps(this.#pid);
    const regions: MemoryRegion[] = [];
    for (const row of mappings) {
      if (!row.protection.startsWith('rw') || oursMapped.test(row.path)) continue;
      const before = regions.at(-1);
      // Behind a file's own data is what the file has as zeroes.
      const isZeroes = row.path === '' && before?.kind === 'globals' && before.end === row.start;
      regions.push(isZeroes ? { ...before, start: row.start, end: row.end } : regionOf(row));
    }
    return regions;
  }
}

function regionOf({ start, end, path }: Mapping): MemoryRegion {
  if (path === '[heap]') return { start, end, kind: 'heap', file: null };
  if (path === '[stack]') return { start, end, kind: 'stack', file: null };
  if (path.startsWith('/')) return { start, end, kind: 'globals', file: path };
  return { start, end, kind: 'anonymous', file: null };
}
