import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { expect, it } from 'vitest';
import { decoderFlags, expectMovedAlike } from '../support/movedCode.ts';
import { buildTarget } from '../support/targets.ts';

const large = { maxBuffer: 1 << 28 };

/** A library this process or its compiler uses. */
function library(name: string): string {
  const path = execFileSync('gcc', [`-print-file-name=${name}`])
    .toString()
    .trim();
  if (!existsSync(path)) throw new Error(`${name} is not installed`);
  return realpathSync(path);
}

interface Section {
  readonly address: number;
  readonly offset: number;
  readonly size: number;
}

function textOf(path: string): Section {
  const text = execFileSync('readelf', ['-SW', path], large).toString();
  const found = /\] \.text\s+PROGBITS\s+(\w+) (\w+) (\w+)/.exec(text);
  const [address = 0, offset = 0, size = 0] = (found ?? [])
    .slice(1)
    .map((hex) => parseInt(hex, 16));
  return { address, offset, size };
}

/** Every instruction as binutils sees it: address → target of a direct jump or call, else ''. */
function disassemble(path: string): Map<number, string> {
  const args = ['-d', '-w', '--no-show-raw-insn', '--section=.text', path];
  const jump = /^(?:\w+(?:\.\w+)? )*?(?:call|j\w+|loop\w*|xbegin)(?:,p[nt])? +([0-9a-f]+)\b/;
  const found = new Map<number, string>();
  for (const line of execFileSync('objdump', args, large).toString().split('\n')) {
    const colon = line.indexOf(':\t');
    if (colon < 0 || !line.startsWith(' ')) continue;
    const instruction = line.slice(colon + 2);
    found.set(parseInt(line.slice(0, colon), 16), jump.exec(instruction)?.[1] ?? '');
  }
  return found;
}

function decode(program: string, path: string): Map<number, string> {
  const { address, offset, size } = textOf(path);
  const hex = [offset, size, address].map((value) => value.toString(16));
  const found = new Map<number, string>();
  for (const line of execFileSync(program, [path, ...hex], large)
    .toString()
    .split('\n')) {
    const space = line.indexOf(' ');
    if (space > 0) found.set(parseInt(line.slice(0, space), 16), line.slice(space + 1));
  }
  return found;
}

it.each(['libc.so.6', 'libstdc++.so.6', 'libgcc_s.so.1'])(
  'the decoder agrees with objdump about every instruction of %s',
  (name) => {
    const program = buildTarget('engine/decodeAll.c', decoderFlags);
    const path = library(name);
    const expected = disassemble(path);
    const found = decode(program, path);
    expect(expected.size).toBeGreaterThan(5_000);
    const wrong = [...expected].filter(([address, target]) => found.get(address) !== target);
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(found.size).toBe(expected.size);
  },
);

it('relocated entries of every function of libc mean what the originals mean', () => {
  const program = buildTarget('engine/relocateAll.c', decoderFlags);
  const path = library('libc.so.6');
  const { address, offset, size } = textOf(path);
  const hex = [offset, size, address].map((value) => value.toString(16));
  const symbols = execFileSync('nm', ['-DS', '--defined-only', path], large)
    .toString()
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([at, , kind]) => /^[tTwWi]$/.test(kind ?? '') && inside(at, address, size))
    .map(([at, bytes]) => `${at} ${bytes}`);
  const input = [...new Set(symbols)].join('\n');
  const said = execFileSync(program, [path, ...hex], { ...large, input })
    .toString()
    .trim();
  const [moved = 0, refused = 0, wrong = -1] = said.split(' ').map(Number);
  expect(wrong).toBe(0);
  expect(moved).toBeGreaterThan(1_000);
  expect(moved + refused).toBe(new Set(symbols).size);
});

function inside(hex: string | undefined, address: number, size: number): boolean {
  const at = parseInt(hex ?? '', 16);
  return at >= address && at < address + size;
}

it('[trace.hazards] 50,000 random functions do with moved first instructions what they do as they are', () => {
  expectMovedAlike(50_000);
});
