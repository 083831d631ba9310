import { expect, test } from 'vitest';
import {
  accessOf,
  isCall,
  takenAddresses,
} from '../../../src/symbols/native/arm64/instructions.ts';

function code(...words: readonly number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(words).buffer);
}

/** Register n holds 0x1000 × n, but x5, which holds -2. */
const registers = Array.from({ length: 33 }, (_unused, number) =>
  number === 5 ? (1n << 64n) - 2n : BigInt(number) * 0x1000n,
);

/** As aarch64-linux-gnu-as encodes them. */
test.each<[string, number, bigint, number]>([
  ['ldr x0, [x1]', 0xf9400020, 0x1000n, 1],
  ['ldr w0, [x1, 8]', 0xb9400820, 0x1008n, 1],
  ['strb w0, [x2, 3]', 0x39000c40, 0x2003n, 1],
  ['ldur x0, [x3, -8]', 0xf85f8060, 0x2ff8n, 1],
  ['str x0, [x1, 16]!', 0xf8010c20, 0x1010n, 1],
  ['ldr x0, [x1], 16', 0xf8410420, 0x1000n, 1],
  ['ldr x0, [x1, x5]', 0xf8656820, 0xffen, 1],
  ['ldr x0, [x1, w5, uxtw 3]', 0xf8655820, 0x1000n + 0xfffffffen * 8n, 1],
  ['ldr w0, [x1, w5, sxtw 2]', 0xb865d820, 0xff8n, 1],
  ['stp x0, x1, [sp, -32]!', 0xa9be07e0, 0x1f000n - 32n, 1],
  ['ldp w0, w1, [x2, 8]', 0x29410440, 0x2008n, 1],
  ['ldp q0, q1, [x2, 32]', 0xad410440, 0x2020n, 1],
  ['ldr q0, [x1, 16]', 0x3dc00420, 0x1010n, 1],
  ['ldr d0, [x1, 16]', 0xfd400820, 0x1010n, 1],
  ['ldxr x0, [x1]', 0xc85f7c20, 0x1000n, 8],
  ['ldar w0, [x1]', 0x88dffc20, 0x1000n, 4],
  ['ldadd x0, x2, [x1]', 0xf8200022, 0x1000n, 8],
])('%s accesses what its base and offset say', (_text, word, address, alignment) => {
  expect(accessOf(code(word), registers)).toEqual({ addresses: [address], alignment, jump: null });
});

test('a jump by a register goes where that says, a signed return without its signature', () => {
  const signed = registers.with(30, 0x0012_0000_0040_1234n);
  const jumpOf = (word: number) => accessOf(code(word), signed)?.jump;
  expect(jumpOf(0xd63f0060)).toEqual({ isReturn: false, to: 0x3000n }); // blr x3
  expect(jumpOf(0xd61f0060)).toEqual({ isReturn: false, to: 0x3000n }); // br x3
  expect(jumpOf(0xd65f03c0)).toEqual({ isReturn: true, to: 0x0012_0000_0040_1234n }); // ret
  expect(jumpOf(0xd65f0bff)).toEqual({ isReturn: true, to: 0x401234n }); // retaa
});

test.each<[string, number, boolean]>([
  ['add x0, x1, x2', 0x8b020020, false],
  ['ldr x0, literal', 0x58000040, false],
  ['ld1 {v0.16b}, [x0]', 0x4c407000, false],
])('%s is not told', (_text, word) => {
  expect(accessOf(code(word), registers)).toBeNull();
});

test('calls end before their return address', () => {
  const calls = [0x94000010, 0xd63f0060, 0xd73f0861]; // bl, blr x3, blraa x3, x1
  expect(calls.map((word) => isCall(code(word)))).toEqual([true, true, true]);
  expect([0x14000010, 0xd61f0060, 0xd65f03c0].some((word) => isCall(code(word)))).toBe(false);
});

test('addresses are taken relative to the instruction and by page', () => {
  // adr x0, .+8; adrp x1, 1 page on; add x1, x1, 0x10; add x2, x3, 0x10
  const taken = takenAddresses(code(0x10000040, 0xb0000001, 0x91004021, 0x91004062), 0x400ff0);
  expect(taken).toEqual([0x400ff8, 0x401010]);
});
