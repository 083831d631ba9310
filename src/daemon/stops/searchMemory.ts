import { setImmediate as turn } from 'node:timers/promises';
import { monotonicMs } from '../../base/clock.ts';
import type { RunningMemory } from '../../collector/debug/debugger.ts';
import type {
  MemoryFinds,
  MemoryHit,
  MemoryRegion,
  SoughtBytes,
} from '../../model/debug/memorySearch.ts';

const chunkBytes = 1 << 20;
const limitMs = 3000;
/** Of the hits that are kept; all are counted. */
const mostHits = 64;

/** Looks regions through for bytes, within some seconds. */
export async function searchMemory(
  memory: Pick<RunningMemory, 'read'>,
  regions: readonly MemoryRegion[],
  { bytes, alignment }: SoughtBytes,
  signal: AbortSignal,
): Promise<MemoryFinds> {
  const end = monotonicMs() + limitMs;
  const hits: MemoryHit[] = [];
  let [total, looked] = [0, 0];
  const finds = (cut: string | null): MemoryFinds => ({ hits, total, bytes: looked, cut });
  for (const region of regions) {
    for (let from = region.start; from < region.end; from += BigInt(chunkBytes)) {
      signal.throwIfAborted();
      if (monotonicMs() > end) return finds(`${limitMs / 1000} s were not enough`);
      const left = Number(region.end - from);
      // What begins in this chunk may end in the next.
      const wanted = Math.min(left, chunkBytes + bytes.length - 1);
      const chunk = Buffer.from(memory.read(from, wanted));
      looked += Math.min(chunk.length, chunkBytes);
      for (const at of placesIn(chunk, bytes, alignment, from)) {
        total++;
        const address = from + BigInt(at);
        const { kind, file } = region;
        if (hits.length < mostHits) hits.push({ address, region: { kind, file } });
      }
      await turn();
    }
  }
  return finds(null);
}

function* placesIn(
  chunk: Buffer,
  bytes: Uint8Array,
  alignment: number,
  from: bigint,
): Generator<number> {
  for (let at = chunk.indexOf(bytes); at >= 0; at = chunk.indexOf(bytes, at + 1)) {
    if (at >= chunkBytes) return;
    if ((from + BigInt(at)) % BigInt(alignment) === 0n) yield at;
  }
}
