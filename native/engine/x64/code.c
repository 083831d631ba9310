/* See ../code.h. */
#include "../code.h"
#include "../cpu.h"
#include "../readSafely.h"

void code_jump(u64 address, u64 island, u8 jump[JUMP_BYTES]) {
  u32 distance = (u32)(island - (address + JUMP_BYTES));
  jump[0] = 0xe9;
  for (int i = 0; i < 4; i++) jump[1 + i] = (u8)(distance >> 8 * i);
}

#define BREAKPOINT 0xcc

int code_has_breakpoint(const u8 jump[JUMP_BYTES], const u8 found[JUMP_BYTES]) {
  int breakpoints = 0;
  for (u32 i = 0; i < JUMP_BYTES; i++) {
    if (found[i] == jump[i]) continue;
    if (found[i] != BREAKPOINT) return 0;
    breakpoints++;
  }
  return breakpoints > 0;
}

int code_is_jump(const u8 found[JUMP_BYTES]) {
  return found[0] == 0xe9 || (found[0] == 0xff && found[1] == 0x25);
}

u64 code_goes_back(u64 pc) {
  u8 code[JUMP_BYTES];
  if (read_safely(code, pc, JUMP_BYTES) != JUMP_BYTES || code[0] != 0xe9) return 0;
  int far = (int)((u32)code[1] | (u32)code[2] << 8 | (u32)code[3] << 16 | (u32)code[4] << 24);
  return pc + JUMP_BYTES + (u64)(long)far;
}

void code_head(u8 *island, u64 thunk) {
  const u8 jump[6] = {0xff, 0x25, 0, 0, 0, 0};
  copy_bytes(island, jump, sizeof jump);
  copy_bytes(island + sizeof jump, &thunk, 8);
}

void code_probe_head(u8 *island, u32 number, u64 entry) {
  const u8 room[6] = {0x48, 0x8d, 0x64, 0x24, 0x80, 0x68}; /* lea rsp, [rsp - 128]; push */
  const u8 jump[6] = {0xff, 0x25, DISPLACED_BYTES - 8};
  copy_bytes(island, room, sizeof room);
  copy_bytes(island + 6, &number, 4);
  copy_bytes(island + 10, jump, sizeof jump);
  copy_bytes(island + ISLAND_HEAD + DISPLACED_BYTES - 8, &entry, 8);
}

void code_probe_leave(u8 *code) {
  const u8 leave[PROBE_LEAVE] = {0x48, 0x8d, 0xa4, 0x24, PROBE_ROOM}; /* lea rsp, [rsp + … ] */
  copy_bytes(code, leave, sizeof leave);
}

void code_return(u8 bytes[JUMP_BYTES]) { bytes[0] = 0xc3; }

/* Writes bytes that lie in one aligned 16 by one store. */
static void write_at_once(u8 *at, const u8 *bytes, u32 count) {
  u64 offset = (u64)at & 15;
  u64 *pair = (u64 *)((u64)at & ~15ul);
  union {
    u64 halves[2];
    u8 bytes[16];
  } wanted;
  u64 low = pair[0], high = pair[1];
  u8 done = 0;
  while (!done) {
    wanted.halves[0] = low;
    wanted.halves[1] = high;
    for (u32 i = 0; i < count; i++) wanted.bytes[offset + i] = bytes[i];
    __asm__ volatile("lock cmpxchg16b %1\n setz %0"
                     : "=q"(done), "+m"(*(unsigned __int128 *)pair), "+a"(low), "+d"(high)
                     : "b"(wanted.halves[0]), "c"(wanted.halves[1])
                     : "memory", "cc");
  }
}

/* A thread that was waiting in a system call may come back at any time, and meets whole
 * instructions: the old or the new one, or, where one store cannot do it, a jump to itself
 * meanwhile. Where not even that fits one store (one place in 16), it must not come just then. */
void code_write(u8 *at, const u8 *bytes) {
  const u8 wait[2] = {0xeb, 0xfe};
  u64 offset = (u64)at & 15, others = 0;
  for (u32 i = 1; i < JUMP_BYTES; i++) others |= at[i] ^ bytes[i];
  if (!others) {
    *(volatile u8 *)at = bytes[0];
    return;
  }
  if (offset <= 16 - JUMP_BYTES) {
    write_at_once(at, bytes, JUMP_BYTES);
    return;
  }
  if (offset < 15) write_at_once(at, wait, sizeof wait);
  for (u32 i = offset < 15 ? sizeof wait : 0; i < JUMP_BYTES; i++)
    ((volatile u8 *)at)[i] = bytes[i];
  if (offset < 15) write_at_once(at, bytes, sizeof wait);
}
