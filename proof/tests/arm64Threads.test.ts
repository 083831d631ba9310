import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { ElfFile } from '../../src/symbols/native/elf/elfFile.ts';
import { rulesOfMachine } from '../../src/symbols/native/machineRules.ts';
import { runEmulated } from './support/emulated.ts';
import { itNeeds } from '../../tests/support/needs.ts';
import { buildForArm64 } from '../../tests/support/targets.ts';

// Neither gcc nor clang describes where thread-locals of arm64 are: their symbols say it.
itNeeds(
  'arm64Emulator',
  '[trace.arm64] thread-locals of a program lie behind the thread pointer where it says itself',
  () => {
    const program = buildForArm64('engine/threadPlace.c', ['-no-pie']);
    using elf = ElfFile.open(program);
    const { threadSegment, machine } = elf;
    const block = threadSegment && rulesOfMachine(machine)?.threadBlock(threadSegment);
    const symbols = execFileSync('nm', [program]).toString();
    const places = ['first', 'wide'].map((name) => {
      const [, value = ''] = new RegExp(`^([0-9a-f]+) [a-zA-Z] ${name}$`, 'm').exec(symbols) ?? [];
      return Number(block) + Number.parseInt(value, 16);
    });
    expect(places).toEqual(runEmulated(program, '').output.trim().split(' ').map(Number));
  },
);
