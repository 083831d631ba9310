/* See captureValue.h. */
#include "captureValue.h"
#include "captureText.h"
#include "passed.h"
#include "record.h"
#include "walk.h"

/* Of a pair: not the bytes themselves, but parts (struct iovec) that lead to them. */
#define PAIR_PARTS 0x1000
#define PAIR_MESSAGE 0x2000

u32 capture_walk(u64 *words, u32 used, u32 room, u64 op, const struct registers *r,
                 const u64 *stack) {
  u32 index = op >> 8 & 0xff, size = op >> 16 & 0xffff;
  u32 program = op >> 32 & 0xfffff, bytes = (u32)(op >> 52);
  u32 most = used + 1 + size / 8;
  if (most < room) room = most;
  u8 gathered[32] = {0};
  switch (op & 0xff) {
  case CAPTURE_WALK_REGISTERS:
    passed_value(gathered, index, bytes >> 5 & 15, r);
    return walk_value(words, used, room, program, gathered, 0, bytes & 31);
  case CAPTURE_WALK_STACK:
    return walk_value(words, used, room, program, (const u8 *)&stack[index], (u64)&stack[index],
                      bytes);
  case CAPTURE_WALK_INTEGER:
    return walk_value(words, used, room, program, 0,
                      r->integer[index < INTEGER_REGISTERS ? index : 0], bytes);
  default: return walk_value(words, used, room, program, 0, stack[index], bytes);
  }
}

u32 capture_value(u64 *words, u32 used, u32 room, u64 op, const struct registers *r,
                  const u64 *stack) {
  u32 index = op >> 8 & 0xff, size = op >> 16 & 0xffff, where = (u32)(op >> 32);
  u64 integer = r->integer[index < INTEGER_REGISTERS ? index : 0];
  switch (op & 0xff) {
  case CAPTURE_INTEGER: words[used] = integer; return used + 1;
  case CAPTURE_FLOAT: words[used] = r->vector[index & 7]; return used + 1;
  case CAPTURE_STACK: words[used] = stack[index]; return used + 1;
  case CAPTURE_STRING_INTEGER: return capture_string(words, used, room, integer, size);
  case CAPTURE_STRING_STACK: return capture_string(words, used, room, stack[index], size);
  case CAPTURE_HELD_INTEGER: return capture_object(words, used, room, integer, where, size);
  case CAPTURE_HELD_STACK: return capture_object(words, used, room, stack[index], where, size);
  case CAPTURE_WALK_REGISTERS:
  case CAPTURE_WALK_STACK:
  case CAPTURE_WALK_INTEGER:
  case CAPTURE_WALK_ADDRESS: return capture_walk(words, used, room, op, r, stack);
  case CAPTURE_HELD_PAIR: {
    u32 length_in = where & 0xfff;
    u64 count = r->integer[length_in < INTEGER_REGISTERS ? length_in : 0];
    if (where & PAIR_PARTS)
      return capture_parts(words, used, room, integer, count, where & PAIR_MESSAGE, ~0ul, size);
    return capture_held(words, used, room, integer, count, where >> 24, size, 0);
  }
  default: return used;
  }
}
