import type { BuildMark } from '../../../model/values/shape.ts';
import type { ElfFile } from './elfFile.ts';

/** Where a file's build ID lies when it is loaded; null where it has none. */
export function buildMark(elf: ElfFile): BuildMark | null {
  const note = '.note.gnu.build-id';
  const { buildId: id } = elf;
  const section = elf.section(note);
  const bytes = elf.content(note)?.upTo(0, 1 << 12);
  const at = id && bytes ? Buffer.from(bytes).indexOf(Buffer.from(id, 'hex')) : -1;
  return id && section && section.address > 0 && at >= 0
    ? { id, address: section.address + at }
    : null;
}
