import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';

/** Code of a live process, file by file: the bytes of its executable mappings that differ from the file's. */
export function changedCode(pid: number): string[] {
  const changed: string[] = [];
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').trimEnd().split('\n')) {
      const [, start, end, offset, path] =
        /^([0-9a-f]+)-([0-9a-f]+) r-xp ([0-9a-f]+) \S+ \d+ +(\/.*)$/.exec(line) ?? [];
      if (start === undefined || end === undefined || offset === undefined || path === undefined)
        continue;
      if (path.startsWith('/memfd:')) continue; // without a file that it could differ from
      const length = Number.parseInt(end, 16) - Number.parseInt(start, 16);
      const now = bytesAt(memory, BigInt(`0x${start}`), length);
      const file = openSync(path, 'r');
      const before = bytesAt(file, BigInt(`0x${offset}`), length);
      closeSync(file);
      const at = now.findIndex((byte, index) => index < before.length && byte !== before[index]);
      if (at >= 0) changed.push(`${path} + 0x${(Number.parseInt(offset, 16) + at).toString(16)}`);
    }
  } finally {
    closeSync(memory);
  }
  return changed;
}

/** What a process holds that could grow. */
export function footprint(pid: number): { maps: number; threads: number; descriptors: number } {
  return {
    maps: readFileSync(`/proc/${pid}/maps`, 'utf8').trimEnd().split('\n').length,
    threads: readdirSync(`/proc/${pid}/task`).length,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

function bytesAt(file: number, position: bigint, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const read = readSync(file, bytes, 0, length, position);
  return bytes.subarray(0, read);
}
