/* Random functions, run as they are and with their first instructions moved: registers, flags and memory must be the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../../native/engine/relocate.h"

#define AREA 0x10000
#define REGISTERS 15 /* all but rsp, in the order rax rcx rdx rbx rbp rsi rdi r8 .. r15 */

struct state {
  u64 registers[REGISTERS], flags, vector;
};

/* Loads the registers, calls the code, keeps what it leaves. */
void run(const void *code, struct state *state);
__asm__(
    ".text\nrun:\n push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n push %rsi\n push %rdi\n"
    " push $0x202\n popfq\n mov %rsi, %rax\n movq 128(%rax), %xmm0\n mov 8(%rax), %rcx\n mov 16(%rax), %rdx\n mov 24(%rax), %rbx\n mov 32(%rax), %rbp\n"
    " mov 40(%rax), %rsi\n mov 48(%rax), %rdi\n mov 56(%rax), %r8\n mov 64(%rax), %r9\n mov 72(%rax), %r10\n"
    " mov 80(%rax), %r11\n mov 88(%rax), %r12\n mov 96(%rax), %r13\n mov 104(%rax), %r14\n mov 112(%rax), %r15\n"
    " mov (%rax), %rax\n call *(%rsp)\n push %rax\n pushfq\n mov 24(%rsp), %rax\n"
    " mov %rcx, 8(%rax)\n mov %rdx, 16(%rax)\n mov %rbx, 24(%rax)\n mov %rbp, 32(%rax)\n mov %rsi, 40(%rax)\n"
    " mov %rdi, 48(%rax)\n mov %r8, 56(%rax)\n mov %r9, 64(%rax)\n mov %r10, 72(%rax)\n mov %r11, 80(%rax)\n"
    " mov %r12, 88(%rax)\n mov %r13, 96(%rax)\n mov %r14, 104(%rax)\n mov %r15, 112(%rax)\n movq %xmm0, 128(%rax)\n"
    " pop %rcx\n mov %rcx, 120(%rax)\n pop %rcx\n mov %rcx, (%rax)\n"
    " pop %rdi\n pop %rsi\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret\n");

static u8 *area; /* functions in the first quarter, a helper in the second, data in the third, moved code in the last */
static u8 code[256];
static u32 length;
static u64 at, seed;

static u32 random_below(u32 limit) {
  seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  return (u32)(seed >> 33) % limit;
}
static void put(u32 byte) { code[length++] = (u8)byte; }
static void put32(u32 value) { for (int i = 0; i < 4; i++) put(value >> 8 * i); }
static u32 any(void) { /* not rsp */
  u32 number = random_below(16);
  return number == 4 ? 5 : number;
}
static void rex(u32 wide, u32 reg, u32 rm) { put(0x40 | wide << 3 | (reg >> 3) << 2 | rm >> 3); }
static void both(u32 reg, u32 rm) { put(0xc0 | (reg & 7) << 3 | (rm & 7)); }
/* [rip + …] of the data, with `behind` bytes of the instruction still to come. */
static void data(u32 reg, u32 behind) {
  put((reg & 7) << 3 | 5);
  u64 target = (u64)area + AREA / 2 + random_below(AREA / 4 / 8 - 1) * 8;
  put32((u32)(target - (at + length + 4 + behind)));
}

static void instruction(void) {
  static const u8 operations[] = {0x01, 0x09, 0x11, 0x19, 0x21, 0x29, 0x31, 0x39, 0x85, 0x89};
  u32 a = any(), b = any(), wide = random_below(2);
  switch (random_below(24)) {
    case 0: rex(wide, a, b); put(operations[random_below(sizeof operations)]); both(a, b); break;
    case 1: rex(0, 0, a); put(0xb8 | (a & 7)); put32(random_below(~0u)); break;
    case 2: rex(1, 0, a); put(0xb8 | (a & 7)); put32(random_below(~0u)); put32(random_below(~0u)); break;
    case 3: rex(1, a, 0); put(0x8d); data(a, 0); break;                                 /* lea */
    case 4: rex(wide, a, 0); put(0x8b); data(a, 0); break;                              /* mov from memory */
    case 5: rex(wide, a, 0); put(0x89); data(a, 0); break;                              /* mov to memory */
    case 6: rex(0, 0, 0); put(0x83); data(random_below(8), 1); put(random_below(256)); break; /* op memory, imm8 */
    case 7: rex(1, 0, 0); put(0x81); data(random_below(8), 4); put32(random_below(~0u)); break;
    case 8: rex(wide, a, 0); put(0x69); data(a, 4); put32(random_below(~0u)); break;    /* imul r, memory, imm32 */
    case 9: put(0x66); rex(0, 0, 0); put(0x81); data(random_below(8), 2); put(1); put(2); break; /* 16 bit */
    case 10: rex(wide, a, b); put(0x0f); put(0x40 | random_below(16)); both(a, b); break; /* cmov */
    case 11: rex(0, 0, b); put(0x0f); put(0x90 | random_below(16)); both(0, b); break;   /* set */
    case 12: rex(wide, 0, b); put(0xc1); both(random_below(8) & 5, b); put(random_below(64)); break; /* shifts */
    case 13: rex(0, 0, a); put(0x50 | (a & 7)); rex(0, 0, b); put(0x58 | (b & 7)); break; /* push, pop */
    case 14: put(0x66); put(0x0f); put(0x1f); put(0x44); put(0); put(0); break;          /* nop */
    case 15: put(0xf3); put(0x0f); put(0x1e); put(0xfa); break;                          /* endbr64 */
    case 16: put(0xf3); put(0x0f); put(0x7e); data(0, 0); break;                         /* movq xmm0, memory */
    case 17: put(0xc5); put(0xfa); put(0x7e); data(0, 0); break;                         /* the same with VEX */
    case 18: put(0x66); put(0x48); put(0x0f); put(0x6e); both(0, a & 7); break;          /* movq xmm0, r */
    case 19: rex(0, 0, 0); put(0xf6); data(0, 1); put(random_below(256)); break;         /* test memory, imm8 */
    case 20: rex(wide, 0, 0); put(0xf7); data(2 + (a & 1), 0); break;                    /* not, neg */
    case 21: put(0x90); break;
    case 22: rex(1, a, b); put(0x0f); put(0xb6 | (a & 1)); both(a, b); break;            /* movzx */
    case 23: put(0xe8); put32((u32)((u64)area + AREA / 4 - (at + length + 4))); break;   /* call the helper */
  }
}

/* Some instructions, now and then a branch over some of them, an end, and padding behind a short one. */
static void make(void) {
  u32 count = random_below(8), branch = random_below(4) == 0 ? random_below(count + 1) : ~0u, hole = 0, is_long = random_below(2);
  length = 0;
  for (u32 i = 0; i < count; i++) {
    if (i == branch) {
      u32 kind = random_below(17);
      if (is_long) {
        if (kind < 16) put(0x0f);
        put(kind < 16 ? 0x80 | kind : 0xe9);
        put32(0);
      } else {
        put(kind < 16 ? 0x70 | kind : 0xeb);
        put(0);
      }
      hole = length;
    }
    instruction();
  }
  if (hole) {
    code[hole - (is_long ? 4 : 1)] = (u8)(length - hole);
  }
  put(0xc3);
}

static int differs(const u8 *moved_code, struct state *state, const u8 *before) {
  static u8 after[AREA / 4];
  struct state moved = *state;
  memcpy(area + AREA / 2, before, AREA / 4);
  run((void *)at, state);
  memcpy(after, area + AREA / 2, AREA / 4);
  memcpy(area + AREA / 2, before, AREA / 4);
  memset((void *)at, 0xcc, JUMP_BYTES); /* nobody may come here any more */
  run(moved_code, &moved);
  return memcmp(state, &moved, sizeof moved) != 0 || memcmp(after, area + AREA / 2, AREA / 4) != 0;
}

int main(int arguments, char **argument) {
  u32 rounds = arguments > 1 ? (u32)atoi(argument[1]) : 1000, hooked = 0, wrong = 0;
  u64 first = arguments > 2 ? strtoul(argument[2], 0, 10) : 1;
  static u8 before[AREA / 4];
  area = mmap((void *)0x10000000, AREA, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area == MAP_FAILED) return 1;
  /* add rax, rdx; xor r9, [rsp]: the helper sees its return address */
  memcpy(area + AREA / 4, "\x48\x01\xd0\x4c\x33\x0c\x24\xc3", 8);
  for (u32 i = 0; i < sizeof before; i++) before[i] = (u8)random_below(256);
  for (u32 round = 0; round < rounds; round++) {
    seed = first + round;
    random_below(2);
    at = (u64)area + 64 + random_below(AREA / 8);
    make();
    memset(area, 0x90, AREA / 4);
    memcpy((void *)at, code, length);
    struct displaced displaced;
    struct state state;
    for (u32 i = 0; i < REGISTERS; i++) state.registers[i] = (u64)random_below(~0u) << 32 | random_below(~0u);
    state.flags = 0;
    state.vector = random_below(~0u);
    u8 *island = area + AREA * 3 / 4 + random_below(AREA / 8);
    struct function_code function = {.bytes = (u8 *)at, .address = at, .before = at - (u64)area, .room = 256, .size = length};
    if (relocate(&function, (u64)island, &displaced) != VERDICT_HOOKED) continue;
    hooked++;
    memcpy(island, displaced.code, displaced.length);
    if (!differs(island, &state, before)) continue;
    wrong++;
    fprintf(stderr, "wrong: seed %lu:", seed);
    for (u32 i = 0; i < length; i++) fprintf(stderr, " %02x", code[i]);
    fprintf(stderr, "\n");
  }
  printf("%u %u %u\n", rounds, hooked, wrong);
  return wrong != 0;
}
