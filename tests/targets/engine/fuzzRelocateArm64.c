/* As fuzzRelocate.c, of arm64: random functions, run as they are and with their first instruction moved. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../../native/engine/relocate.h"

#define AREA 0x40000
#define BATCH 128
#define REGISTERS 26 /* x0 .. x25; x16 .. x18 are left out */
#define DATA_BYTES 0x1000

struct state {
  u64 registers[REGISTERS], flags, padding;
  u64 vectors[4]; /* v0, v1 */
};

/* Loads the registers, calls the code, keeps what it leaves. x26: the data, x27: the helper, x28: as x30. */
void run(const void *code, struct state *state, void *data, void *helper);
__asm__(
    ".text\n.globl run\nrun:\n stp x29, x30, [sp, -112]!\n stp x19, x20, [sp, 16]\n stp x21, x22, [sp, 32]\n stp x23, x24, [sp, 48]\n"
    " stp x25, x26, [sp, 64]\n stp x27, x28, [sp, 80]\n stp x1, x0, [sp, 96]\n mov x26, x2\n mov x27, x3\n mov x16, x0\n mov x17, x1\n"
    " ldr x0, [x17, 208]\n msr nzcv, x0\n ldp q0, q1, [x17, 224]\n"
    " ldp x0, x1, [x17]\n ldp x2, x3, [x17, 16]\n ldp x4, x5, [x17, 32]\n ldp x6, x7, [x17, 48]\n ldp x8, x9, [x17, 64]\n"
    " ldp x10, x11, [x17, 80]\n ldp x12, x13, [x17, 96]\n ldp x14, x15, [x17, 112]\n ldr x19, [x17, 152]\n"
    " ldp x20, x21, [x17, 160]\n ldp x22, x23, [x17, 176]\n ldp x24, x25, [x17, 192]\n"
    " adr x30, 1f\n mov x28, x30\n br x16\n"
    "1: ldr x17, [sp, 96]\n stp x0, x1, [x17]\n stp x2, x3, [x17, 16]\n stp x4, x5, [x17, 32]\n stp x6, x7, [x17, 48]\n"
    " stp x8, x9, [x17, 64]\n stp x10, x11, [x17, 80]\n stp x12, x13, [x17, 96]\n stp x14, x15, [x17, 112]\n str x19, [x17, 152]\n"
    " stp x20, x21, [x17, 160]\n stp x22, x23, [x17, 176]\n stp x24, x25, [x17, 192]\n mrs x0, nzcv\n str x0, [x17, 208]\n"
    " stp q0, q1, [x17, 224]\n ldp x19, x20, [sp, 16]\n ldp x21, x22, [sp, 32]\n ldp x23, x24, [sp, 48]\n ldp x25, x26, [sp, 64]\n"
    " ldp x27, x28, [sp, 80]\n ldp x29, x30, [sp], 112\n ret\n");

static u8 *area; /* functions in the first quarter, a helper in the second, data in the third, moved code in the last */
static u8 *data;
static u32 code[32];
static u32 length;
static u64 at, seed;

static u32 random_below(u32 limit) {
  seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  return (u32)(seed >> 33) % limit;
}
static void put(u32 instruction) { code[length++] = instruction; }
static u32 any(void) {
  u32 number = random_below(REGISTERS - 3);
  return number > 15 ? number + 3 : number;
}
static u32 any_or_none(void) { return random_below(8) ? any() : 31; }
static u64 here(void) { return at + length * 4ul; }
static u32 near(u64 target) { return ((u32)((long)(target - here()) >> 2) & 0x7ffff) << 5; }
static u64 datum(void) { return (u64)data + random_below(DATA_BYTES / 16 - 1) * 16; }

static int calls; /* the link register does not hold the way back any more */

static void instruction(void) {
  static const u32 operations[] = {0x0b000000, 0x4b000000, 0x0a000000, 0x2a000000, 0x4a000000, 0x2b000000, 0x6b000000, 0x6a000000};
  u32 a = any(), b = any(), c = any(), wide = random_below(2) << 31;
  u64 to = here() + random_below(AREA / 2) - AREA / 4;
  switch (random_below(18)) {
    case 0: case 1: put(operations[random_below(8)] | wide | a << 16 | b << 5 | c); break;
    case 2: put(0xd2800000 | random_below(2) << 29 | random_below(4) << 21 | random_below(65536) << 5 | a); break; /* movz, movk */
    case 3: put(0x10000000 | ((u32)(to - here()) & 3) << 29 | ((u32)((long)(to - here()) >> 2) & 0x7ffff) << 5 | any_or_none()); break;
    case 4: put(0x90000000 | random_below(4) << 29 | ((u32)random_below(1 << 19)) << 5 | any_or_none()); break; /* adrp */
    case 5: case 6: put((0x18000000 | random_below(3) << 30) | near(datum()) | any_or_none()); break;            /* ldr, ldrsw */
    case 7: case 8: put((0x1c000000 | random_below(3) << 30) | near(datum()) | random_below(2)); break;          /* of v0, v1 */
    case 9: put(0xd8000000 | near(datum()) | random_below(18)); break;                                           /* prfm */
    case 10: put(0xf9000000 | random_below(2) << 22 | random_below(DATA_BYTES / 8) << 10 | 26 << 5 | a); break;  /* str, ldr */
    case 11: put(0x9a800000 | random_below(2) << 10 | a << 16 | random_below(16) << 12 | b << 5 | c); break;     /* csel, csinc */
    case 12: put(0x9b000000 | a << 16 | b << 10 | c << 5 | a); break;                                            /* madd */
    case 13: put(0xf100001f | random_below(4096) << 10 | a << 5); break;                                         /* cmp */
    case 14: put(random_below(2) ? 0xd503201f : 0xd503245f); break;                                              /* nop, bti c */
    case 15: put(0xa9000000 | random_below(2) << 22 | random_below(32) << 15 | a << 10 | 26 << 5 | (b == a ? 31 : b)); break;
    case 16: calls = 1; put(0x94000000 | ((u32)((long)((u64)area + AREA / 4 - here()) >> 2) & 0x3ffffff)); break;
    case 17: calls = 1; put(0xd63f0000 | 27 << 5); break;                                                        /* blr */
  }
}

static void branch(u32 kind, u32 over) {
  u32 distance = (over + 1) << 5;
  if (kind == 0) put(0x14000000 | (over + 1));
  else if (kind == 1) put(0x54000000 | distance | random_below(16));
  else if (kind == 2) put(0x34000000 | random_below(2) << 31 | random_below(2) << 24 | distance | any_or_none());
  else put(0x36000000 | random_below(2) << 31 | random_below(2) << 24 | random_below(32) << 19 | distance | any());
}

/* Some instructions, now and then a branch over some of them, a signed return address, an end. */
static void make(void) {
  u32 count = random_below(8), place = random_below(3) == 0 ? random_below(count + 1) / (1 + random_below(2)) : ~0u;
  u32 is_signed = random_below(12) == 0;
  length = 0;
  calls = 0;
  if (is_signed) put(0xd503233f); /* paciasp */
  for (u32 i = 0; i < count; i++) {
    if (i == place) branch(random_below(4), random_below(count - i + 1));
    u32 before = length;
    do {
      length = before;
      calls &= !is_signed;
      instruction();
    } while (is_signed && calls);
  }
  if (is_signed) put(0xd50323bf); /* autiasp */
  put(calls ? (random_below(2) ? 0xd65f0380 : 0xd61f0380) : 0xd65f03c0); /* ret x28, br x28, ret */
}

static int differs(const u8 *moved_code, struct state *state, const u8 *before) {
  static u8 after[DATA_BYTES];
  struct state moved = *state;
  memcpy(data, before, DATA_BYTES);
  run((void *)at, state, data, area + AREA / 4);
  memcpy(after, data, DATA_BYTES);
  memcpy(data, before, DATA_BYTES);
  memset((void *)at, 0, JUMP_BYTES); /* nobody may come here any more */
  __builtin___clear_cache((char *)at, (char *)at + JUMP_BYTES);
  run(moved_code, &moved, data, area + AREA / 4);
  return memcmp(state, &moved, sizeof moved) != 0 || memcmp(after, data, DATA_BYTES) != 0;
}

struct one {
  u64 at, seed;
  u8 *island;
  struct state state;
};

int main(int arguments, char **argument) {
  u32 rounds = arguments > 1 ? (u32)atoi(argument[1]) : 1000, hooked = 0, wrong = 0;
  u64 first = arguments > 2 ? strtoul(argument[2], 0, 10) : 1;
  static u8 before[DATA_BYTES];
  static struct one all[BATCH];
  static const u32 helper[] = {0x8b010000, 0xca1e0129, 0xd65f03c0}; /* add x0, x0, x1; eor x9, x9, x30; ret */
  area = mmap((void *)0x10000000, AREA, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area == MAP_FAILED) return 1;
  data = area + AREA / 2;
  memcpy(area + AREA / 4, helper, sizeof helper);
  for (u32 i = 0; i < sizeof before; i++) before[i] = (u8)random_below(256);
  for (u32 round = 0; round < rounds;) {
    u32 ready = 0;
    for (u32 place = 0; place < BATCH && round < rounds; place++, round++) {
      struct one *one = &all[ready];
      struct displaced displaced;
      seed = one->seed = first + round;
      random_below(2);
      one->at = at = (u64)area + 256 + place * 256ul;
      make();
      memcpy((void *)at, code, length * 4);
      memset(&one->state, 0, sizeof one->state);
      for (u32 i = 0; i < REGISTERS; i++)
        if (i < 16 || i > 18) one->state.registers[i] = (u64)random_below(~0u) << 32 | random_below(~0u);
      one->state.flags = (u64)random_below(16) << 28;
      for (u32 i = 0; i < 4; i++) one->state.vectors[i] = random_below(~0u);
      one->island = area + AREA * 3 / 4 + place * 64;
      if (relocate((u8 *)at, 256, at, length * 4, 0, (u64)one->island, &displaced) != VERDICT_HOOKED) continue;
      memcpy(one->island, displaced.code, displaced.length);
      ready++;
    }
    __builtin___clear_cache((char *)area, (char *)area + AREA);
    hooked += ready;
    for (u32 i = 0; i < ready; i++) {
      at = all[i].at;
      u32 kept = *(u32 *)at;
      if (!differs(all[i].island, &all[i].state, before)) continue;
      wrong++;
      fprintf(stderr, "wrong: number %lu: first %08x\n", all[i].seed, kept);
    }
  }
  printf("%u %u %u\n", rounds, hooked, wrong);
  return wrong != 0;
}
