import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrashReport } from '../../../src/model/endings/crashReport.ts';
import { readCore } from '../../../src/symbols/native/core/coreFile.ts';
import { ElfFile } from '../../../src/symbols/native/elf/elfFile.ts';
import { postMortem } from '../../../src/symbols/native/unwind/postMortem.ts';
import { emulator } from './emulated.ts';
import { TestLibrary } from '../../../tests/support/symbolLibrary.ts';

/**
 * What a core file says that the emulator writes of a statically linked program at a fixed address, which dies. The
 * emulator does not write which files were mapped, nor their code: that is added.
 */
export function emulatedCrash(program: string, line: string): CrashReport {
  const folder = mkdtempSync(join(tmpdir(), 'strobe-core-'));
  try {
    const words = ['-c', 'ulimit -c unlimited; exec "$0" "$@"', ...emulator, program];
    spawnSync('sh', words, { cwd: folder, input: `${line}\n`, timeout: 100_000 });
    const name = readdirSync(folder).find((file) => file.endsWith('.core'));
    if (name === undefined) throw new Error(`the emulator wrote no core file of ${program}`);
    const { snapshot } = readCore(join(folder, name));
    using elf = ElfFile.open(program);
    const code = elf.segments.filter(({ type }) => type === 1);
    const mappings = snapshot.mappings.map((mapping) => {
      const start = Number(mapping.start);
      const from = code.find(({ address, memorySize }) => {
        const page = address - (address % 4096);
        return start >= page && start < address + memorySize;
      });
      const offset = from === undefined ? 0 : start - from.address + from.offset;
      return from === undefined ? mapping : { ...mapping, path: program, offset: BigInt(offset) };
    });
    using symbols = new TestLibrary();
    const known = { ...snapshot, mappings };
    return postMortem(known, symbols.library, { own: [program], hidden: [] });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
