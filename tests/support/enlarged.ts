import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ElfFile } from '../../src/symbols/native/elf/elfFile.ts';

/** The same program with an empty unit of 33 MB behind its others, in a folder of its own. */
export function enlarged(program: string, folder: string): string {
  using elf = ElfFile.open(program);
  const own = elf.content('.debug_info')?.all() ?? new Uint8Array(0);
  const unit = Buffer.alloc(33 << 20);
  unit.writeUInt32LE(unit.length - 4, 0);
  // DWARF 4, addresses of eight bytes.
  unit.writeUInt16LE(4, 4);
  unit[10] = 8;
  const [section, path] = [join(folder, 'section'), join(folder, basename(program))];
  writeFileSync(section, Buffer.concat([own, unit]));
  execFileSync('objcopy', ['--update-section', `.debug_info=${section}`, program, path]);
  return path;
}
