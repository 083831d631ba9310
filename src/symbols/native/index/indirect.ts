import type { ElfFile } from '../elf/elfFile.ts';
import { readIndirectSymbols } from '../elf/symbolTable.ts';
import { rulesOfMachine } from '../machineRules.ts';
import type { IndirectFunction } from './moduleIndex.ts';

const maxResolver = 4096;

/**
 * Functions whose code is chosen when the file is loaded (IFUNC), with the functions their resolvers name:
 * those whose address it takes, among those that `isStart`.
 */
export function indirectFunctions(
  elf: ElfFile,
  files: readonly ElfFile[],
  isStart: (address: number) => boolean,
): IndirectFunction[] {
  const instructions = rulesOfMachine(elf.machine)?.instructions;
  return readIndirectSymbols(...files).map(({ name, address, size }) => {
    const code = elf.bytesAt(address, Math.min(size, maxResolver));
    const taken = code === null ? [] : (instructions?.takenAddresses(code, address) ?? []);
    const others = [...new Set(taken)].filter((at) => at < address || at >= address + size);
    const choices = others.filter(isStart);
    return {
      name,
      choices,
      unknown: others.filter((at) => elf.isCode(at)).length - choices.length,
    };
  });
}
