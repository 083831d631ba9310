import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Mapping } from '../../../src/model/endings/snapshot.ts';
import { parseMapping } from '../../../src/model/endings/snapshot.ts';
import {
  compute,
  locate,
  type ExpressionContext,
} from '../../../src/symbols/native/unwind/dwarfExpression.ts';
import type { FrameEntry } from '../../../src/symbols/native/unwind/callFrames.ts';
import type { StackType } from '../../../src/symbols/native/unwind/stackValue.ts';
import { rowAt } from '../../../src/symbols/native/unwind/frameRow.ts';
import { KnownMemory } from '../../../src/symbols/native/unwind/snapshotMemory.ts';
import { x64Rules } from '../../../src/symbols/native/x64/rules.ts';
import { unwind } from '../../../src/symbols/native/unwind/unwind.ts';

const context: ExpressionContext = {
  register: (number) => BigInt(number) * 0x100n,
  memory: (address) => address + 1n,
  bias: 0x1000n,
  frameBase: () => 0x7000n,
  cfa: () => 0x8000n,
  baseType: (offset) => baseTypes[offset] ?? null,
};
const baseTypes: Readonly<Record<number, StackType>> = {
  1: { kind: 'signed', bytes: 4 },
  2: { kind: 'unsigned', bytes: 4 },
  3: { kind: 'float', bytes: 8 },
  4: { kind: 'signed', bytes: 8 },
};

describe('DWARF expressions', () => {
  for (const [what, bytes, expected] of [
    ['fbreg -8', [0x91, 0x78], { kind: 'memory', address: 0x6ff8n }],
    ['reg3', [0x53], { kind: 'register', number: 3 }],
    ['breg6 16', [0x76, 0x10], { kind: 'memory', address: 0x610n }],
    ['lit7 stack_value', [0x37, 0x9f], { kind: 'value', value: 7n }],
    ['call_frame_cfa deref', [0x9c, 0x06], { kind: 'memory', address: 0x8001n }],
    ['addr', [0x03, 0x10, 0, 0, 0, 0, 0, 0, 0], { kind: 'memory', address: 0x1010n }],
    ['const1s -1 const1u 3 plus', [0x09, 0xff, 0x08, 3, 0x22], { kind: 'memory', address: 2n }],
    [
      'const1s -6 convert int lit0 convert int minus convert 0 stack_value',
      [0x09, 0xfa, 0xa8, 1, 0x30, 0xa8, 1, 0x1c, 0xa8, 0, 0x9f],
      { kind: 'value', value: 2n ** 64n - 6n },
    ],
    [
      'const1s -6 convert unsigned stack_value',
      [0x09, 0xfa, 0xa8, 2, 0x9f],
      { kind: 'value', value: 0xffff_fffan },
    ],
    [
      'const_type int -6 lit4 convert int div stack_value',
      [0xa4, 1, 4, 0xfa, 0xff, 0xff, 0xff, 0x34, 0xa8, 1, 0x1b, 0x9f],
      { kind: 'value', value: -1n },
    ],
    [
      'lit7 convert double lit2 convert double div convert long stack_value',
      [0x37, 0xa8, 3, 0x32, 0xa8, 3, 0x1b, 0xa8, 4, 0x9f],
      { kind: 'value', value: 3n },
    ],
    [
      'lit3 convert long lit2 mul stack_value, as LLVM writes it',
      [0x33, 0xa8, 4, 0x32, 0x1e, 0x9f],
      { kind: 'value', value: 6n },
    ],
    [
      'regval_type reg3 int reinterpret unsigned stack_value',
      [0xa5, 3, 1, 0xa9, 2, 0x9f],
      { kind: 'value', value: 0x300n },
    ],
    [
      'lit1 convert int lit1 convert double plus',
      [0x31, 0xa8, 1, 0x31, 0xa8, 3, 0x22],
      { kind: 'none', reason: 'its location is damaged' },
    ],
    ['lit1 bra +1 lit2 lit3', [0x31, 0x28, 1, 0, 0x32, 0x33], { kind: 'memory', address: 3n }],
  ] as const) {
    it(`${what} leads where it says`, () => {
      expect(locate(Uint8Array.from(bytes), context)).toEqual(expected);
    });
  }

  it('pieces keep their order and sizes', () => {
    expect(locate(Uint8Array.from([0x50, 0x93, 8, 0x93, 8]), context)).toEqual({
      kind: 'pieces',
      pieces: [
        { bytes: 8, location: { kind: 'register', number: 0 } },
        { bytes: 8, location: { kind: 'none', reason: 'the compiler kept it nowhere here' } },
      ],
    });
  });

  it('an entry value is said to be unknown, never computed', () => {
    expect(locate(Uint8Array.from([0xa3, 1, 0x55, 0x9f]), context)).toMatchObject({ kind: 'none' });
  });

  it('any bytes end, and nothing throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        locate(bytes, context);
        compute(bytes, context, [0x9000n]);
      }),
    );
  });
});

describe('call frame instructions', () => {
  const entry = (instructions: number[]): FrameEntry => ({
    start: 0x100,
    end: 0x200,
    shared: {
      codeAlign: 1,
      dataAlign: -8,
      returnColumn: 16,
      pointerEncoding: 0x1b,
      hasAugmentation: true,
      isSignalFrame: false,
      instructions: Uint8Array.from([0x0c, 7, 8, 0x90, 1]),
    },
    instructions: Uint8Array.from(instructions),
    hasLandingPads: false,
  });

  it('a row holds from its place to the next', () => {
    // push rbp at 0x100; mov rbp, rsp at 0x101
    const pushed = entry([0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6]);
    expect(rowAt(pushed, 0x100).cfa).toEqual({ kind: 'register', number: 7, offset: 8 });
    expect(rowAt(pushed, 0x101).cfa).toEqual({ kind: 'register', number: 7, offset: 16 });
    expect(rowAt(pushed, 0x180).cfa).toEqual({ kind: 'register', number: 6, offset: 16 });
    expect(rowAt(pushed, 0x180).rules.get(6)).toEqual({ kind: 'offset', offset: -16 });
  });

  it('what was remembered comes back', () => {
    const twice = entry([0x41, 0x0a, 0x0e, 32, 0x41, 0x0b]);
    expect(rowAt(twice, 0x101).cfa).toMatchObject({ offset: 32 });
    expect(rowAt(twice, 0x102).cfa).toMatchObject({ offset: 8 });
  });

  it('any instructions end: a row, or a RangeError', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        fc.integer({ min: 0x100, max: 0x1ff }),
        (bytes, at) => {
          try {
            rowAt(entry([...bytes]), at);
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError);
          }
        },
      ),
    );
  });
});

describe('walking a stack', () => {
  const code = parseMapping('1000-3000 r-xp 00000000 08:01 1 /code');
  const stack = parseMapping('7000-8000 rw-p 00000000 00:00 0 [stack]');
  const mappings: Mapping[] = [code, stack].flatMap((row) => row ?? []);

  it('any stack and any registers end within the bound', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 0x1000, maxLength: 0x1000 }),
        fc.array(fc.bigInt({ min: 0n, max: 0x9000n }), { minLength: 17, maxLength: 17 }),
        (bytes, registers) => {
          const memory = new KnownMemory(
            { memory: [{ address: 0x7000n, bytes }], stored: [], mappings },
            () => null,
          );
          const { frames } = unwind(
            registers,
            {
              rules: x64Rules,
              memory,
              mappings,
              entryOf: () => null,
              isFault: () => false,
              isEntry: () => false,
            },
            50,
          );
          expect(frames.length).toBeLessThanOrEqual(50);
        },
      ),
    );
  });

  it('frame pointers are followed where there is no unwind information, and said to be', () => {
    const bytes = new Uint8Array(0x1000);
    const view = new DataView(bytes.buffer);
    view.setBigUint64(0x100, 0x7200n, true);
    view.setBigUint64(0x108, 0x2222n, true);
    view.setBigUint64(0x200, 0n, true);
    view.setBigUint64(0x208, 0x2333n, true);
    const memory = new KnownMemory(
      { memory: [{ address: 0x7000n, bytes }], stored: [], mappings },
      () => null,
    );
    const registers = Array.from({ length: 17 }, () => 0n);
    registers[6] = 0x7100n;
    registers[7] = 0x7080n;
    registers[16] = 0x1111n;
    const { frames } = unwind(
      registers,
      {
        rules: x64Rules,
        memory,
        mappings,
        entryOf: () => null,
        isFault: () => false,
        isEntry: () => false,
      },
      50,
    );
    expect(frames.map(({ pc, by }) => [pc, by])).toEqual([
      [0x1111n, 'start'],
      [0x2222n, 'framePointer'],
      [0x2333n, 'framePointer'],
    ]);
  });
});

describe('known memory', () => {
  it('reads over parts that overlap and touch, and never over a gap', () => {
    const part = (address: bigint, ...bytes: number[]) => ({
      address,
      bytes: Uint8Array.from(bytes),
    });
    const memory = new KnownMemory(
      {
        memory: [part(10n, 1, 2, 3, 4), part(12n, 3, 4, 5), part(15n, 6), part(17n, 8)],
        stored: [],
        mappings: [],
      },
      () => null,
    );
    expect([...memory.readUpTo(10n, 8)]).toEqual([1, 2, 3, 4, 5, 6]);
    expect(memory.read(15n, 2)).toBeNull();
    expect(memory.word(12n, 4)).toBe(0x0605_0403n);
  });
});
