import { readSync, openSync, closeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { ElfFile } from './elfFile.ts';

/** Where distributions install debug information. */
export const systemDebugFolder = '/usr/lib/debug';
/** Its callers know the C library by its exported names; what is called inside it explains nothing. */
const cLibrary = /^(?:ld-linux[-\w]*|lib(?:c|m|dl|rt|pthread))\.so\b/;

/**
 * The file that holds what was stripped from this one: by its build id, or as .gnu_debuglink names it (the
 * places where GDB looks, "Debugging Information in Separate Files"). A program without a build id says of
 * that file its checksum. Null when it has its own, none of the same build is there, or it is the C library.
 */
export function openSeparate(elf: ElfFile, debugFolder: string): ElfFile | null {
  if (cLibrary.test(basename(elf.path)) || elf.section('.debug_info') !== null) return null;
  const { buildId, debugLink } = elf;
  for (const path of candidates(elf, debugFolder)) {
    const found = openOrNull(path);
    if (found === null) continue;
    const isSame =
      buildId === null ? checksum(path) === debugLink?.checksum : found.buildId === buildId;
    if (isSame && found.section('.debug_info') !== null) return found;
    found[Symbol.dispose]();
  }
  return null;
}

function candidates({ path, debugLink, buildId }: ElfFile, debugFolder: string): string[] {
  const byId = buildId === null ? [] : [pathById(buildId, debugFolder)];
  const name = debugLink?.name ?? '';
  // A name with folders in it would lead anywhere.
  if (name === '' || name.includes('/')) return byId;
  const folder = dirname(path);
  const folders = [folder, join(folder, '.debug'), join(debugFolder, folder)];
  return [...byId, ...folders.map((one) => join(one, name))].filter((one) => one !== path);
}

function pathById(buildId: string, debugFolder: string): string {
  return join(debugFolder, '.build-id', buildId.slice(0, 2), `${buildId.slice(2)}.debug`);
}

export interface Supplementary {
  readonly file: ElfFile | null;
  /** Where it was looked for. */
  readonly looked: readonly string[];
  /** What is missing, as the rest of a sentence; empty when nothing is. */
  readonly problem: string;
}

/** The file with what several programs share (.gnu_debugaltlink, as dwz makes it), of the build that this one names. */
export function openSupplementary(elf: ElfFile, debugFolder: string): Supplementary {
  const link = elf.supplementaryLink;
  if (link === null) {
    const problem = elf.section('.debug_sup')
      ? 'a part of it is in a supplementary file of DWARF 5 (dwz -5), which is not read; make it by dwz -m without -5'
      : '';
    return { file: null, looked: [], problem };
  }
  const { name, buildId } = link;
  const looked = [
    name.startsWith('/') ? name : join(dirname(elf.path), name),
    pathById(buildId, debugFolder),
    join(debugFolder, '.dwz', basename(name)),
  ];
  for (const path of looked) {
    const file = openOrNull(path);
    if (file === null) continue;
    if (file.buildId === buildId) return { file, looked, problem: '' };
    file[Symbol.dispose]();
  }
  const problem = `a part of it is in a file that programs share (${name}, build id ${buildId}), which is not there or of another build`;
  return { file: null, looked, problem };
}

function openOrNull(path: string): ElfFile | null {
  try {
    return ElfFile.open(path);
  } catch {
    // Not there, or no ELF file: the next place is looked at.
    return null;
  }
}

/** Of a whole file, as .gnu_debuglink has it; null when it cannot be read. */
function checksum(path: string): number | null {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    const piece = new Uint8Array(1 << 20);
    let sum = 0;
    for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece))
      sum = crc32(piece.subarray(0, read), sum);
    return sum;
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
