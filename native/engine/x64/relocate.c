/* Relocation of a function's entry, see ../relocate.h. */
#include "../relocate.h"
#include "../body.h"
#include "../cpu.h"
#include "decode.h"

/* Where compilers let functions begin that they align. */
#define FUNCTION_ALIGNMENT 16

static int put32(struct displaced *out, u64 target, u64 at) {
  long distance = (long)(target - (at + out->length + 4));
  for (int i = 0; i < 4; i++) out->code[out->length++] = (u8)(distance >> 8 * i);
  return distance == (int)distance;
}

static void put(struct displaced *out, u8 byte) { out->code[out->length++] = byte; }

/* A call becomes a push of its original return address and a jump, so that every unwinder and
 * `__builtin_return_address` see the original code. */
static void put_return_address(struct displaced *out, u64 return_address) {
  put(out, 0x68); /* push imm32 */
  for (int i = 0; i < 4; i++) put(out, (u8)(return_address >> 8 * i));
  put(out, 0xc7); /* mov dword [rsp + 4], imm32 */
  put(out, 0x44);
  put(out, 0x24);
  put(out, 0x04);
  for (int i = 4; i < 8; i++) put(out, (u8)(return_address >> 8 * i));
}

static int put_call(struct displaced *out, u64 return_address, u64 target, u64 at) {
  put_return_address(out, return_address);
  put(out, 0xe9);
  return put32(out, target, at);
}

static int put_copy(struct displaced *out, const u8 *code, const struct instruction *in,
                    u64 address, u64 at) {
  u32 start = out->length;
  for (int i = 0; i < in->length; i++) put(out, code[i]);
  if (!in->rip_offset) return 1;
  const u8 *p = code + in->rip_offset;
  int old = (int)((u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24);
  long moved = (long)(address - (at + start)) + old;
  for (int i = 0; i < 4; i++) out->code[start + in->rip_offset + i] = (u8)(moved >> 8 * i);
  return moved == (int)moved;
}

#define LONGEST 15
#define STACK_POINTER 4

/* The same of call r/m, whose operand must not be told by the stack pointer. Returns a verdict. */
static u32 put_call_indirect(struct displaced *out, const u8 *code, const struct instruction *in,
                             u64 address, u64 at) {
  u8 jump[LONGEST], modrm = code[in->modrm];
  int is_by_stack =
      modrm >> 6 != 3 && (modrm & 7) == STACK_POINTER && (code[in->modrm + 1] & 7) == STACK_POINTER;
  if (!in->modrm || (modrm & 0x38) != 0x10 || is_by_stack) return VERDICT_UNSUPPORTED_INSTRUCTION;
  copy_bytes(jump, code, in->length);
  jump[in->modrm] = (u8)((modrm & ~0x38) | 0x20);
  put_return_address(out, address + in->length);
  return put_copy(out, jump, in, address, at) ? VERDICT_HOOKED : VERDICT_NO_NEAR_MEMORY;
}

/* Returns a verdict; sets *ended when nothing follows the instruction. */
static u32 put_instruction(struct displaced *out, const u8 *code, const struct instruction *in,
                           u64 address, u64 at, int *ended) {
  int near = 1;
  switch (in->flow) {
  case FLOW_LOOP:
  case FLOW_SYSTEM: return VERDICT_UNSUPPORTED_INSTRUCTION;
  case FLOW_CALL:
    near = put_call(out, address + in->length, in->target, at);
    *ended = 1;
    break;
  case FLOW_CALL_INDIRECT: *ended = 1; return put_call_indirect(out, code, in, address, at);
  case FLOW_JUMP:
    put(out, 0xe9);
    near = put32(out, in->target, at);
    *ended = 1;
    break;
  case FLOW_BRANCH:
    put(out, 0x0f);
    put(out, 0x80 | in->condition);
    near = put32(out, in->target, at);
    break;
  case FLOW_END: *ended = 1; /* fallthrough */
  default: near = put_copy(out, code, in, address, at);
  }
  return near ? VERDICT_HOOKED : VERDICT_NO_NEAR_MEMORY;
}

/* No function begins so: zeros, with which linkers fill the ends of sections, and int3. */
static int is_filler(u8 byte) { return byte == 0 || byte == 0xcc; }

/* Whether what follows a function is padding, and room for the jump: filler, or nops up to the next
 * function that is known or up to the next aligned address. One that no symbol tells of may begin
 * with nops too, but not where it is aligned, and it goes on with something else. */
static int is_padded(const u8 *code, u64 room, u64 address, u32 from, u32 next) {
  u32 filled = from;
  while (filled < room && filled < JUMP_BYTES && is_filler(code[filled])) filled++;
  if (filled == JUMP_BYTES) return 1;
  u32 to = from + (u32)(-(address + from) % FUNCTION_ALIGNMENT);
  if (next > from && (to < JUMP_BYTES || next < to)) to = next;
  if (to < JUMP_BYTES) return 0;
  while (from < to) {
    struct instruction in;
    if (from >= room) return 0;
    if (is_filler(code[from])) {
      from++;
      continue;
    }
    if (!decode(code + from, room - from, 0, &in) || !in.is_padding) return 0;
    from += in.length;
  }
  return 1;
}

u32 displace(const struct function_code *function, u64 at, struct displaced *out) {
  const u8 *code = function->bytes;
  u64 room = function->room, address = function->address;
  u32 consumed = 0;
  int ended = 0;
  out->moves = 0;
  while (consumed < JUMP_BYTES && !ended) {
    struct instruction in;
    if (function->size && consumed >= function->size) break;
    if (!decode(code + consumed, room - consumed, address + consumed, &in))
      return VERDICT_UNSUPPORTED_INSTRUCTION;
    if (in.is_breakpoint) return VERDICT_BREAKPOINT;
    if (consumed) {
      out->from[out->moves] = (u8)consumed;
      out->to[out->moves++] = out->length;
    }
    int is_call = in.flow == FLOW_CALL || in.flow == FLOW_CALL_INDIRECT;
    int returns_inside = is_call && consumed + in.length < JUMP_BYTES;
    if (returns_inside) return VERDICT_UNSUPPORTED_INSTRUCTION;
    u32 verdict = put_instruction(out, code + consumed, &in, address + consumed, at, &ended);
    if (verdict != VERDICT_HOOKED) return verdict;
    consumed += in.length;
  }
  if (consumed < JUMP_BYTES && !is_padded(code, room, address, consumed, function->next))
    return VERDICT_TOO_SHORT;
  if (!ended) {
    put(out, 0xe9);
    if (!put32(out, address + consumed, at)) return VERDICT_NO_NEAR_MEMORY;
  }
  out->consumed = (u8)consumed;
  return VERDICT_HOOKED;
}

u32 displace_part(const struct function_code *function, u32 count, u64 next, u64 at,
                  struct displaced *out) {
  u32 consumed = 0;
  int ended = 0;
  out->moves = 0;
  while (consumed < count && !ended) {
    struct instruction in;
    u64 address = function->address + consumed;
    const u8 *code = function->bytes + consumed;
    if (!decode(code, function->room - consumed, address, &in) || in.is_breakpoint)
      return VERDICT_UNSUPPORTED_INSTRUCTION;
    if (consumed && consumed < JUMP_BYTES) {
      out->from[out->moves] = (u8)consumed;
      out->to[out->moves++] = out->length;
    }
    u32 verdict = put_instruction(out, code, &in, address, at, &ended);
    if (verdict != VERDICT_HOOKED) return verdict;
    consumed += in.length;
    /* The longest displaced instruction and the jump behind it. */
    if (out->length + 32 > DISPLACED_BYTES) return VERDICT_UNSUPPORTED_INSTRUCTION;
  }
  if (consumed > count) return VERDICT_UNSUPPORTED_INSTRUCTION;
  if (!ended) {
    put(out, 0xe9);
    if (!put32(out, next, at)) return VERDICT_NO_NEAR_MEMORY;
  }
  out->consumed = (u8)consumed;
  return VERDICT_HOOKED;
}

u32 relocate(const struct function_code *function, u64 at, struct displaced *out) {
  out->length = 0;
  u32 verdict = displace(function, at, out);
  if (verdict != VERDICT_HOOKED) return verdict;
  return body_check(function, out->consumed < JUMP_BYTES ? JUMP_BYTES : out->consumed);
}
