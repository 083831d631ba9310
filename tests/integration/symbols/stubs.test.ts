import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { TestLibrary } from '../../support/symbolLibrary.ts';
import { buildTarget } from '../../support/targets.ts';

/** The stubs as binutils reads them: function, address, size of an entry. */
function stubsOf(program: string): { readonly name: string; readonly address: number }[] {
  const sections = ['.plt', '.plt.sec', '.plt.got'].map((name) => `--section=${name}`);
  const output = execFileSync('objdump', ['-d', ...sections, program], { encoding: 'utf8' });
  return [...output.matchAll(/^([0-9a-f]{16}) <([^>]+@plt)>:$/gm)].map(([, address, name]) => ({
    name: name ?? '',
    address: Number.parseInt(address ?? '', 16),
  }));
}

test.each([
  ['as the compiler does', []],
  ['bound when they are first called', ['-Wl,-z,lazy']],
  ['with marks for indirect jumps', ['-fcf-protection=full', '-Wl,-z,ibtplt', '-Wl,-z,lazy']],
  ['at a fixed address, stripped', ['-no-pie', '-s']],
])('[symbols.elf] stubs for functions of libraries have their names, %s', (_how, flags) => {
  using library = new TestLibrary();
  const program = buildTarget('symbols/names.cpp', [...flags]);
  const stubs = stubsOf(program);
  expect(stubs.length).toBeGreaterThan(2);
  const code = library.library.code(program);
  for (const { name, address } of stubs) {
    const readable = `${code.readable(name.replace(/@plt$/, ''))}@plt`;
    expect(code.functionAt(address + 5)).toEqual({ name: readable, entry: -1, offset: 5 });
  }
});
