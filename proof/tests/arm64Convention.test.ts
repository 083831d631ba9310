import { expect } from 'vitest';
import { runConvention } from './support/conventionProgram.ts';
import { itNeeds } from '../../tests/support/needs.ts';

const gcc = ['arm64Emulator', 'aarch64-linux-gnu-g++-12'] as const;
const clang = ['arm64Clang', 'clang++', '--target=aarch64-linux-gnu'] as const;

for (const [need, ...compiler] of [
  [...gcc, '-O2'],
  [...gcc, '-O0'],
  [...clang, '-O2'],
  [...clang, '-O0'],
] as const) {
  itNeeds(
    need,
    `[trace.arm64] values of functions of any signature are what the program itself writes, ${compiler.join(' ')}`,
    () => {
      // Others each time; one that fails is printed with its number.
      const seed = Math.floor(Math.random() * 1e6);
      const { written, captured } = runConvention(seed, 120, compiler);
      expect(written.size).toBe(120);
      const wrong = [...written].flatMap(([name, values]) => {
        const found = captured.get(name) ?? {};
        const differing = Object.entries(values).filter(
          ([key, value]) => !isSame(value, found[key]),
        );
        return differing.map(([key, value]) => ({ name, key, value, found: found[key] }));
      });
      expect({ seed, wrong }).toEqual({ seed, wrong: [] });
    },
    120_000,
  );
}

/** LLVM leaves out where parameters are that it needs no more. */
const unsaid = 'the compiler removed it, or does not say where it is';

/** What has no value is told with its reason. */
function isSame(written: unknown, captured: unknown): boolean {
  if (captured === unsaid) return true;
  if (written === null) return captured === null || typeof captured === 'string';
  return JSON.stringify(written) === JSON.stringify(captured);
}
