import type { KeyAddress, MappedRange } from '../../../model/endings/crashReport.ts';
import { processorOf } from '../../../model/processors.ts';
import type { Mapping, Snapshot } from '../../../model/endings/snapshot.ts';
import { mappingOf } from '../../../model/endings/snapshot.ts';
import { hex } from './unwind.ts';

/** Where the fault address, the program counter and the stack pointer of the thread that died lie. */
export function keyAddresses({ signal, threads, mappings, processor }: Snapshot): KeyAddress[] {
  const registers = threads[0]?.registers ?? [];
  const { stack, registers: names } = processorOf(processor);
  if (mappings.length === 0) return [];
  return [
    keyAddress('fault address', faultAddress(signal), mappings),
    keyAddress('pc', registers[names.length - 1] ?? null, mappings),
    keyAddress('sp', registers[stack] ?? null, mappings),
  ].filter((found) => found !== null);
}

/** Signals whose si_addr is the address that was used; of others it is that of the instruction. */
const ofMemory = new Set([7, 11]);
/** The kernel names no address then. */
const kernelCode = 128;

function faultAddress(signal: Snapshot['signal']): bigint | null {
  const isNamed = signal !== null && ofMemory.has(signal.number) && signal.code !== kernelCode;
  return isNamed ? signal.address : null;
}

function keyAddress(
  role: KeyAddress['role'],
  address: bigint | null,
  mappings: readonly Mapping[],
): KeyAddress | null {
  if (address === null) return null;
  const mapping = mappingOf(mappings, address);
  const found = { role, address: hex(address) };
  if (mapping !== null) return { ...found, mapping: range(mapping), nearest: [] };
  const below = mappings.reduce<Mapping | null>(
    (best, row) => (row.end <= address && (best === null || row.end > best.end) ? row : best),
    null,
  );
  const above = mappings.reduce<Mapping | null>(
    (best, row) => (row.start > address && (best === null || row.start < best.start) ? row : best),
    null,
  );
  const nearest: KeyAddress['nearest'][number][] = [];
  if (below !== null)
    nearest.push({ range: range(below), side: 'below', distance: Number(address - below.end) });
  if (above !== null)
    nearest.push({ range: range(above), side: 'above', distance: Number(above.start - address) });
  return { ...found, mapping: null, nearest };
}

function range({ start, end, protection, path }: Mapping): MappedRange {
  return { start: hex(start), bytes: Number(end - start), protection, path };
}
