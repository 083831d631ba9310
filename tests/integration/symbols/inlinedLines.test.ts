import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CodeReader } from '../../../src/symbols/native/index/codeReader.ts';
import { scopesAt } from '../../../src/symbols/native/unwind/scopes.ts';
import { linesOfStatements } from '../../support/linesOfStatements.ts';
import { itNeeds } from '../../support/needs.ts';
import { TestLibrary } from '../../support/symbolLibrary.ts';
import { buildTarget } from '../../support/targets.ts';

/** Of each address the lines of the inlined calls that hold it, the innermost first, as binutils reads them. */
function chainsOf(program: string, addresses: readonly number[]): string[] {
  const input = addresses.map((address) => `0x${address.toString(16)}`).join('\n');
  const output = execFileSync('addr2line', ['-a', '-i', '-e', program], {
    encoding: 'utf8',
    input,
    maxBuffer: 1 << 28,
  });
  return output
    .split(/^0x[0-9a-f]+\n/m)
    .slice(1)
    .map((lines) => lines.trimEnd().split('\n').map(place).join(' < '));
}

/** Without its folder; of what has no line binutils tells the file and we do not. */
function place(text: string): string {
  const line = basename(text.replace(/ \(discriminator.*$/, ''));
  return /:[1-9]\d*$/.test(line) ? line : '?';
}

function ourChain(code: CodeReader, address: number): string {
  const { file, line } = code.placeOf(address);
  const fn = code.functionAt(address);
  const types = code.types();
  const scopes = types && fn && fn.entry >= 0 ? scopesAt(types, fn.entry, address) : [];
  const sites = scopes
    .filter(({ isInlined }) => isInlined)
    .map(({ callFile, callLine }) => place(`${callFile ?? '?'}:${callLine ?? '?'}`));
  return [place(`${file ?? '?'}:${line ?? '?'}`), ...sites].join(' < ');
}

/** Compares each third byte of the project's functions; how deep the deepest chain was. */
function compared(program: string, pattern: string): number {
  using library = new TestLibrary();
  const code = library.library.code(program);
  const addresses = library
    .find(program, pattern)
    .flatMap(({ address, size }) =>
      Array.from({ length: Math.ceil(size / 3) }, (_unused, i) => address + i * 3),
    );
  const ours = addresses.map((address) => ourChain(code, address));
  const theirs = chainsOf(program, addresses);
  expect(theirs).toHaveLength(addresses.length);
  const isRight = linesOfStatements(program);
  const different = addresses.flatMap((address, i) =>
    isRight(address, ours[i] ?? '', theirs[i] ?? '')
      ? []
      : [`0x${address.toString(16)}: ${ours[i]}, addr2line: ${theirs[i]}`],
  );
  expect(different).toEqual([]);
  return Math.max(...ours.map((chain) => chain.split(' < ').length));
}

describe('[symbols.inlined] the lines of inlined calls, from the innermost to the function with code', () => {
  test.each([
    ['symbols/names.cpp', ['-O2']],
    ['symbols/names.cpp', ['-O2', '-gdwarf-4']],
    ['e2e/verdicts.cpp', []],
  ] as const)('%s %j: as addr2line tells them', (source, flags) => {
    expect(compared(buildTarget(source, flags), `@file:${basename(source)}`)).toBeGreaterThan(1);
  });

  itNeeds('rustc', 'Rust, optimised: as addr2line tells them', () => {
    const program = buildTarget('symbols/places.rs', ['-C', 'opt-level=3']);
    expect(compared(program, '@file:places.rs')).toBeGreaterThan(1);
  });
});
