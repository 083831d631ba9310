/* See ../code.h. A jump is one instruction, written by one store: whoever runs meets it or what was
 * there. */
#include "../code.h"
#include "../cpu.h"
#include "../readSafely.h"

#define BRANCH 0x14000000u

void code_jump(u64 address, u64 island, u8 jump[JUMP_BYTES]) {
  u32 instruction = BRANCH | ((u32)((island - address) >> 2) & 0x3ffffff);
  for (u32 i = 0; i < JUMP_BYTES; i++) jump[i] = (u8)(instruction >> 8 * i);
}

u64 code_goes_back(u64 pc) {
  u32 instruction;
  if (read_safely(&instruction, pc, 4) != 4 || (instruction & 0xfc000000) != BRANCH) return 0;
  return pc + (u64)((long)((u64)instruction << 38) >> 36);
}

void code_head(u8 *island, u64 thunk) {
  static const u32 jump[2] = {0x58000050, 0xd61f0200}; /* ldr x16, behind both; br x16 */
  copy_bytes(island, jump, sizeof jump);
  copy_bytes(island + sizeof jump, &thunk, 8);
}

void code_return(u8 bytes[JUMP_BYTES]) {
  static const u32 returns = 0xd65f03c0;
  copy_bytes(bytes, &returns, JUMP_BYTES);
}

void code_write(u8 *at, const u8 *bytes) {
  __atomic_store_n((u32 *)at, *(const u32 *)bytes, __ATOMIC_RELEASE);
  code_was_written((u64)at, (u64)at + JUMP_BYTES);
}
