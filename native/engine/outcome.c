/* See outcome.h. */
#include "outcome.h"
#include "captureText.h"
#include "reads.h"
#include "returning.h"

/* From the thread pointer to errno, the same in each thread: it is in libc's static block. */
static i64 errno_at;
static u32 knows_errno;

/* Hands in libc's __errno_location. */
EXPORT void engine_set_errno(u64 (*location)(void)) {
  errno_at = (i64)(location() - thread_pointer());
  knows_errno = 1;
}

#define ADDRESS_WORDS 16

void outcome_keep(struct frame *frame, u64 op, const struct registers *r) {
  keep_arguments(frame, r);
  u32 through = FILLED_THROUGH(op);
  if (through) frame->saved[REGISTERS_KEPT - 1] = r->integer[(through - 1) % INTEGER_REGISTERS];
}

u64 outcome_word(u64 result) {
  u32 low = (u32)result;
  if (low != ~0u || !knows_errno) return low;
  return low | (u64) * (volatile u32 *)(thread_pointer() + (u64)errno_at) << 32;
}

/* The result, and the socket address that lies at `buffer`. */
static u32 result_and_address(u64 *words, u32 room, u64 buffer, u64 result, u64 length_at) {
  u32 length = 0, got = 0;
  if (room < 2 + ADDRESS_WORDS) return 0;
  if (buffer && length_at) read_quickly(&length, length_at, sizeof length);
  if (length > ADDRESS_WORDS * 8) length = ADDRESS_WORDS * 8;
  words[2 + length / 8] = 0;
  if (length) got = (u32)read_quickly(&words[2], buffer, length);
  if (got % 8) words[2 + got / 8] &= (1ul << got % 8 * 8) - 1;
  words[1] = outcome_word(result);
  put_header(&words[0], 8 + got, 0);
  return 2 + (got + 7) / 8;
}

u32 outcome_filled(u64 *words, u32 room, u64 op, const struct frame *frame, u64 result, u32 limit) {
  u64 count = 0, buffer = frame->saved[FILLED_REGISTER(op) % REGISTERS_KEPT];
  i32 said = (i32)result;
  if (said < 0 && room >= 2) {
    put_header(&words[0], 8, STRING_IS_NULL);
    words[1] = outcome_word(result);
    return 2;
  }
  if (FILLED_WITH_RESULT(op))
    return result_and_address(words, room, buffer, result, frame->saved[REGISTERS_KEPT - 1]);
  if (FILLED_PARTS(op))
    return capture_parts(words, 0, room, buffer, frame->saved[REGISTERS_KEPT - 1],
                         FILLED_MESSAGE(op), said > 0 ? (u64)said : 0, limit);
  if (!FILLED_THROUGH(op)) count = said > 0 ? (u64)said : 0;
  else if (said > 0) read_quickly(&count, frame->saved[REGISTERS_KEPT - 1], sizeof count);
  return capture_held(words, 0, room, buffer, count, 1, limit, 0);
}
