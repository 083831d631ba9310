/* Relocation of a function's entry, see ../relocate.h: of its first instruction, as that is all
 * that is replaced. What depends on its own place (Arm ARM C4.1) is put in other words.
 *
 * x16 and x17 hold nothing at an entry: any linker may have put a veneer before it (AAPCS64
 * §6.1.1). */
#include "../relocate.h"

#define ONE 4ul
#define LINK 30
#define SCRATCH 17
#define NOTHING 31
#define NOP 0xd503201fu
#define BRANCH 0x14000000u
#define BRANCH_REACH 0x8000000l

struct code {
  struct displaced *out;
  u64 at; /* where it will lie */
};

static void put(struct code *code, u32 instruction) {
  for (int i = 0; i < 4; i++) code->out->code[code->out->length++] = (u8)(instruction >> 8 * i);
}

static long cut(u32 instruction, u32 low, u32 bits) {
  return (long)((u64)instruction << (64 - low - bits)) >> (64 - bits);
}

/* Returns whether the target can be reached from where the code will lie. */
static int put_branch(struct code *code, u64 target) {
  long distance = (long)(target - (code->at + code->out->length));
  put(code, BRANCH | ((u32)(distance >> 2) & 0x3ffffff));
  return distance >= -BRANCH_REACH && distance < BRANCH_REACH;
}

/* Loads a constant that lies behind `further` instructions more. */
static void put_load(struct code *code, u32 to, u32 further) {
  put(code, 0x58000000u | (u32)(1 + further) << 5 | to);
}

static void put_constant(struct code *code, u64 value) {
  put(code, (u32)value);
  put(code, (u32)(value >> 32));
}

/* A load from beside the code becomes two: of the address, and from there. */
static u32 put_literal(struct code *code, u32 instruction, u64 address, u64 back) {
  u32 to = instruction & 31, kind = instruction >> 30, is_vector = instruction >> 26 & 1;
  static const u32 whole[4] = {0xb9400000u, 0xf9400000u, 0xb9800000u, 0};
  static const u32 vector[4] = {0xbd400000u, 0xfd400000u, 0x3dc00000u, 0};
  u32 load = is_vector ? vector[kind] : whole[kind];
  if (is_vector && !load) return VERDICT_UNSUPPORTED_INSTRUCTION;
  /* A hint what to fetch, or a value that nobody asks for. */
  if (!load || (!is_vector && to == NOTHING)) {
    put(code, NOP);
    return put_branch(code, back) ? VERDICT_HOOKED : VERDICT_NO_NEAR_MEMORY;
  }
  put_load(code, SCRATCH, 2);
  put(code, load | SCRATCH << 5 | to);
  int is_near = put_branch(code, back);
  put_constant(code, address + (u64)(cut(instruction, 5, 19) * 4));
  return is_near ? VERDICT_HOOKED : VERDICT_NO_NEAR_MEMORY;
}

/* The branch is kept, and leads over the way back. */
static u32 put_conditional(struct code *code, u32 instruction, u32 bits, u64 target, u64 back) {
  u32 mask = ((1u << bits) - 1) << 5;
  put(code, (instruction & ~mask) | 2 << 5);
  int is_near = put_branch(code, back);
  return put_branch(code, target) && is_near ? VERDICT_HOOKED : VERDICT_NO_NEAR_MEMORY;
}

/* A call has the return address of the original, so that every unwinder sees that. */
static u32 put_call(struct code *code, u64 target, u64 back) {
  put_load(code, LINK, 1);
  int is_near = put_branch(code, target);
  put_constant(code, back);
  return is_near ? VERDICT_HOOKED : VERDICT_NO_NEAR_MEMORY;
}

static u32 put_address(struct code *code, u32 to, u64 value, u64 back) {
  if (to == NOTHING) put(code, NOP);
  else put_load(code, to, 1);
  int is_near = put_branch(code, back);
  put_constant(code, value);
  return is_near ? VERDICT_HOOKED : VERDICT_NO_NEAR_MEMORY;
}

struct pattern {
  u32 mask, value;
};

/* What cannot be elsewhere, or alone: */
static const struct pattern unsupported[] = {
    {0xffff0000, 0x00000000}, /* permanently undefined: data */
    {0xff800000, 0xd4000000}, /* svc, hvc, smc, brk: a system call is seen where it was made */
    {0xff400000, 0xd4400000}, /* hlt */
    {0xff800000, 0xd4800000}, /* dcps */
    {0xfe9f0000, 0xd69f0000}, /* eret, drps */
    {0xfefff800, 0xd63f0800}, /* blraa and kin: calls with an address that is authenticated */
    {0xff000000, 0x55000000}, /* retaasppc */
    {0xffffdbff, 0xdac183fe}, /* paciasppc and kin: sign with their own place */
    {0xffffffff, 0xd50324ff}, /* pacm: the next does so */
    {0x7e000000, 0x74000000}, /* cb: short branches that compare two registers */
    {0x3b200c00, 0x19000400}, /* cpyp, setp: one of three that belong together */
};

static int is_unsupported(u32 instruction) {
  for (u32 i = 0; i < sizeof unsupported / sizeof *unsupported; i++)
    if ((instruction & unsupported[i].mask) == unsupported[i].value) return 1;
  return 0;
}

/* br, ret and their kin that authenticate. */
static int is_end(u32 instruction) { return (instruction & 0xfe000000) == 0xd6000000; }

static u32 put_instruction(struct code *code, u32 instruction, u64 address) {
  u64 back = address + ONE;
  long near = cut(instruction, 5, 19) * 4;
  if (is_unsupported(instruction)) return VERDICT_UNSUPPORTED_INSTRUCTION;
  if ((instruction & 0x7c000000) == BRANCH) {
    u64 target = address + (u64)(cut(instruction, 0, 26) * 4);
    if (instruction >> 31) return put_call(code, target, back);
    return put_branch(code, target) ? VERDICT_HOOKED : VERDICT_NO_NEAR_MEMORY;
  }
  if ((instruction & 0xff000000) == 0x54000000 || (instruction & 0x7e000000) == 0x34000000)
    return put_conditional(code, instruction, 19, address + (u64)near, back);
  if ((instruction & 0x7e000000) == 0x36000000)
    return put_conditional(code, instruction, 14, address + (u64)(cut(instruction, 5, 14) * 4),
                           back);
  if ((instruction & 0x1f000000) == 0x10000000) {
    u64 distance = (u64)(near | (long)(instruction >> 29 & 3)); /* 19 bits high, 2 low */
    u64 value = instruction >> 31 ? (address & ~0xffful) + (distance << 12) : address + distance;
    return put_address(code, instruction & 31, value, back);
  }
  if ((instruction & 0x3b000000) == 0x18000000)
    return put_literal(code, instruction, address, back);
  if ((instruction & 0xfffffc1f) == 0xd63f0000) { /* blr */
    u32 through = instruction >> 5 & 31;
    if (through == LINK) return VERDICT_UNSUPPORTED_INSTRUCTION;
    put_load(code, LINK, 1);
    put(code, 0xd61f0000u | through << 5);
    put_constant(code, back);
    return VERDICT_HOOKED;
  }
  put(code, instruction);
  if (is_end(instruction)) return VERDICT_HOOKED;
  return put_branch(code, back) ? VERDICT_HOOKED : VERDICT_NO_NEAR_MEMORY;
}

/* Where a direct jump leads, calls excepted; 0: elsewhere. */
static u64 jump_target(u32 instruction, u64 address) {
  if ((instruction & 0xfc000000) == BRANCH) return address + (u64)(cut(instruction, 0, 26) * 4);
  if ((instruction & 0xff000000) == 0x54000000 || (instruction & 0x7e000000) == 0x34000000)
    return address + (u64)(cut(instruction, 5, 19) * 4);
  if ((instruction & 0x7e000000) == 0x36000000) return address + (u64)(cut(instruction, 5, 14) * 4);
  return 0;
}

static u32 word_at(const u8 *code) {
  return (u32)code[0] | (u32)code[1] << 8 | (u32)code[2] << 16 | (u32)code[3] << 24;
}

u32 relocate(const u8 *code, u64 room, u64 address, u32 size, u32 next, u64 at,
             struct displaced *out) {
  (void)next;
  struct code island = {out, at};
  out->length = out->moves = 0;
  if (room < ONE || (address & (ONE - 1)) || (size && size < ONE)) return VERDICT_TOO_SHORT;
  u32 verdict = put_instruction(&island, word_at(code), address);
  if (verdict != VERDICT_HOOKED) return verdict;
  out->consumed = ONE;
  u64 end = size < room ? size : room;
  for (u64 from = ONE; from + ONE <= end; from += ONE)
    if (jump_target(word_at(code + from), address + from) == address)
      return VERDICT_BRANCH_INTO_PROLOGUE;
  return VERDICT_HOOKED;
}
