import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { FoundFunction } from '../../../src/model/functions/foundFunction.ts';
import type { Parameter } from '../../../src/model/values/valueType.ts';
import { itNeeds } from '../../support/needs.ts';
import { TestLibrary } from '../../support/symbolLibrary.ts';
import { buildTarget } from '../../support/targets.ts';

const integerRegisters = ['rdi', 'rsi', 'rdx', 'rcx', 'r8', 'r9'] as const;

/** The debugger's expression for what lies at a parameter's place when its function is entered. */
function expressionFor({ type, place }: Parameter): string | null {
  const bytes = 'bytes' in type ? (type.bytes ?? 8) : 8;
  const isFloat = type.kind === 'float';
  switch (place.kind) {
    case 'integer':
      return `(long)($${integerRegisters[place.register]} & ${bytes === 8 ? '-1' : `0x${'ff'.repeat(bytes)}`})`;
    case 'float':
      return bytes === 4
        ? `$xmm${place.register}.v4_float[0]`
        : `$xmm${place.register}.v2_double[0]`;
    case 'stack': {
      const word = isFloat
        ? bytes === 4
          ? 'float'
          : 'double'
        : { 1: 'unsigned char', 2: 'unsigned short', 4: 'unsigned int' }[bytes];
      return `*(${word ?? 'long'} *)($rsp + 8 + ${place.offset})`;
    }
    case 'pair':
    case 'words':
    case 'parts':
    case 'memory':
    case 'address':
    case 'none':
      return null;
  }
}

/** Runs the program under gdb and reads every named place at the first entry of each function. */
function valuesAtEntry(program: string, functions: readonly FoundFunction[]): Map<string, number> {
  const lines = [
    'set pagination off',
    'set confirm off',
    'set width 0',
    'set print thread-events off',
    'set language c',
  ];
  for (const fn of functions) {
    lines.push(`tbreak *${fn.address}`, 'commands', 'silent');
    fn.parameters.forEach((parameter) => {
      const expression = expressionFor(parameter);
      if (expression === null || parameter.name.startsWith('arg')) return;
      lines.push(`printf "VALUE ${fn.address} ${parameter.name} %f\\n", (double)(${expression})`);
    });
    lines.push('continue', 'end');
  }
  lines.push('run > /dev/null');
  const folder = mkdtempSync(join(tmpdir(), 'strobe-gdb-'));
  try {
    const script = join(folder, 'script');
    writeFileSync(script, lines.join('\n'));
    const output = execFileSync('gdb', ['-q', '-nx', '-batch', '-x', script, program], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return new Map(
      [...output.matchAll(/^VALUE (\d+ \S+) (\S+)$/gm)].map((match) => [
        match[1] ?? '',
        Number(match[2]),
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the target's rule says is passed: iN → N, fN → N.5, pN → N, bN → 1. */
function expectedValue(name: string): number | null {
  const match = /^([ifpb])(\d+)$/.exec(name);
  if (match === null) return null;
  const number = Number(match[2]);
  return match[1] === 'f' ? number + 0.5 : match[1] === 'b' ? 1 : number;
}

/** Checks every parameter with a place; returns the functions' names with how many were checked. */
function check(program: string, functions: readonly FoundFunction[]): Record<string, number> {
  const values = valuesAtEntry(program, functions);
  const checked: Record<string, number> = {};
  for (const fn of functions) {
    const short = fn.name.replace(/^places::/, '');
    checked[short] = 0;
    for (const parameter of fn.parameters) {
      const expected = expectedValue(parameter.name);
      if (expected === null || parameter.place.kind === 'none') continue;
      expect(
        values.get(`${fn.address} ${parameter.name}`),
        `${fn.signature} ${parameter.name}`,
      ).toBe(expected);
      checked[short]++;
    }
  }
  return checked;
}

describe('the place of a parameter, compared with the registers and the stack of the running program', () => {
  itNeeds('gdb', 'C++: scalars among structures, wide numbers and classes', () => {
    using library = new TestLibrary();
    const program = buildTarget('symbols/places.cpp', ['-no-pie'], 'places_cpp');
    const functions = library.find(program, 'places::**');
    expect(check(program, functions)).toMatchInlineSnapshot(`
      {
        "Object::fixed": 1,
        "Object::hidden": 1,
        "Object::method": 2,
        "big": 2,
        "classes": 5,
        "extended": 8,
        "floats": 10,
        "large": 3,
        "list": 1,
        "little": 1,
        "mixed": 5,
        "odd": 1,
        "other": 7,
        "packed": 5,
        "plain": 8,
        "small": 3,
        "spilled": 8,
        "tenBytes": 1,
        "text": 2,
        "variadic": 2,
        "wide": 5,
      }
    `);
    expect(
      Object.fromEntries(functions.map((fn) => [fn.name.replace(/^places::/, ''), fn.stackBytes])),
    ).toMatchInlineSnapshot(`
      {
        "Object::fixed": 0,
        "Object::hidden": 0,
        "Object::method": 0,
        "big": 0,
        "classes": 32,
        "extended": 40,
        "floats": 16,
        "large": 24,
        "list": 0,
        "little": 0,
        "mixed": 0,
        "odd": 0,
        "other": 32,
        "packed": 16,
        "plain": 16,
        "small": 0,
        "spilled": 56,
        "tenBytes": 0,
        "text": 0,
        "variadic": null,
        "wide": 48,
      }
    `);
  });

  itNeeds('gdb', 'C++ with DWARF 4', () => {
    using library = new TestLibrary();
    const program = buildTarget(
      'symbols/places.cpp',
      ['-no-pie', '-gdwarf-4', '-O0'],
      'places_cpp4',
    );
    const checked = check(program, library.find(program, 'places::**'));
    expect(Object.values(checked).reduce((sum, count) => sum + count, 0)).toMatchInlineSnapshot(
      `81`,
    );
  });

  describe.each(['0', '1'])(
    'Rust at optimisation level %s: what its unspecified ABI shares with C',
    (level) => {
      itNeeds('gdbAndRustc', 'scalars, references and wrappers', () => {
        using library = new TestLibrary();
        const flags = ['-C', 'relocation-model=static', '-C', `opt-level=${level}`];
        const program = buildTarget('symbols/places.rs', flags, 'places_rs');
        const functions = library
          .find(program, '@file:places.rs')
          .filter((fn) => fn.name.includes('places::'));
        expect(check(program, functions)).toMatchSnapshot();
        expect(
          Object.fromEntries(functions.map((fn) => [fn.signature, fn.stackBytes])),
        ).toMatchSnapshot();
      });
    },
  );
});
