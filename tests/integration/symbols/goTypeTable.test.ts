import { expect } from 'vitest';
import { descriptorsIn } from '../../../src/symbols/native/dwarf/types/goTypeTable.ts';
import { goKind } from '../../../src/symbols/native/dwarf/types/goTypes.ts';
import { ElfFile } from '../../../src/symbols/native/elf/elfFile.ts';
import { readAddressesOf } from '../../../src/symbols/native/elf/symbolTable.ts';
import { itNeeds } from '../../support/needs.ts';
import { buildTarget } from '../../support/targets.ts';

itNeeds(
  'go',
  '[go.values] types without debug information are found by the runtime’s own table',
  () => {
    using elf = ElfFile.open(buildTarget('e2e/contexts.go'));
    const ends = readAddressesOf(elf, /^runtime\.e?types$/);
    const [from = -1, to = -1] = [ends.get('runtime.types'), ends.get('runtime.etypes')];
    const found = [...descriptorsIn(elf, from, to)];
    const kinds = new Map(found.map(({ name, kind }) => [name, kind]));
    expect(kinds.get('main.key')).toBe(goKind.string);
    expect(kinds.get('main.outOf')).toBe(goKind.struct);
    expect([...descriptorsIn(elf, -1, -1)]).toEqual([]);
    expect([...descriptorsIn(elf, from, from + 40)]).toEqual([]);
  },
);
