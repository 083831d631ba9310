import { expect, test } from 'vitest';
import { accessOf } from '../../../src/symbols/native/x64/operand.ts';

/** By their numbers of DWARF: rax 1, rdx 2, rcx 3, rbx 4 … r15 16, each times 0x1000. */
const registers = Array.from({ length: 17 }, (_unused, i) => BigInt(i + 1) * 0x1000n);

/** Instructions as the assembler writes them, and what they access. */
const samples: readonly (readonly [text: string, bytes: string, address: bigint, align: number])[] =
  [
    ['mov (%rdi),%eax', '8b07', 0x6000n, 1],
    ['mov 0x8(%rax),%rax', '488b4008', 0x1008n, 1],
    ['mov -0x10(%rbp),%eax', '8b45f0', 0x6ff0n + 0x0n, 1],
    ['mov (%rax,%rcx,4),%edx', '8b1488', 0x1000n + 4n * 0x3000n, 1],
    ['mov 0x100(%r12,%r9,8),%r8', '4f8b84cc00010000', 0xd000n + 8n * 0xa000n + 0x100n, 1],
    ['movl $0x5,(%rbx)', 'c70305000000', 0x4000n, 1],
    ['movaps (%rdi),%xmm0', '0f2807', 0x6000n, 16],
    ['addps 0x10(%rdi,%rax,1),%xmm1', '0f584c0710', 0x7010n, 16],
    ['movups (%rdi),%xmm0', '0f1007', 0x6000n, 1],
    ['movdqa (%rsi),%xmm2', '660f6f16', 0x5000n, 16],
    ['movdqu (%rsi),%xmm2', 'f30f6f16', 0x5000n, 1],
    ['addss (%rdi),%xmm0', 'f30f5807', 0x6000n, 1],
    ['vmovaps (%rdi),%ymm0', 'c5fc2807', 0x6000n, 32],
    ['vmovaps (%r8),%xmm9', 'c441782808', 0x9000n, 16],
    ['vmovups (%rdi),%ymm0', 'c5fc1007', 0x6000n, 1],
    ['ret', 'c3', 0x8000n, 1],
    ['rep stos %al,(%rdi)', 'f3aa', 0x6000n, 1],
    ['call *0x8(%rdi)', 'ff5708', 0x6008n, 1],
  ];

for (const [text, bytes, address, alignment] of samples)
  test(`the operand of ${text}`, () => {
    const access = accessOf(Buffer.from(bytes, 'hex'), registers);
    expect(access).toMatchObject({ addresses: [address], alignment });
  });

test('copies have two; a call by a register has where it leads; others have none', () => {
  const of = (bytes: string): unknown => accessOf(Buffer.from(bytes, 'hex'), registers);
  expect(of('f3a4')).toMatchObject({ addresses: [0x5000n, 0x6000n] });
  expect(of('ffd2')).toMatchObject({ addresses: [], jump: { isReturn: false, to: 0x2000n } });
  for (const bytes of ['89c2', '488b0511000000', '64488b042528000000', 'f4', '', '0f0b'])
    expect(of(bytes)).toBeNull();
});
