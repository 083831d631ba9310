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

#define BESIDE_WORDS 16

/* Where the buffer's address is kept: with its argument, or in place of the second one. */
static u32 kept_buffer(u64 op) {
  u32 at = FILLED_REGISTER(op);
  return at < REGISTERS_KEPT ? at : REGISTERS_KEPT - 2;
}

void outcome_keep(struct frame *frame, u64 op, const struct registers *r) {
  u32 through = FILLED_THROUGH(op);
  keep_arguments(frame, r);
  frame->saved[kept_buffer(op)] = r->integer[FILLED_REGISTER(op) % INTEGER_REGISTERS];
  if (through) frame->saved[REGISTERS_KEPT - 1] = r->integer[(through - 1) % INTEGER_REGISTERS];
}

u64 outcome_word(u64 result) {
  u32 low = (u32)result;
  if (low != ~0u || !knows_errno) return low;
  return low | (u64) * (volatile u32 *)(thread_pointer() + (u64)errno_at) << 32;
}

/* What was filled in, after the result: its bytes. */
static u32 filled_beside(u64 *words, const struct frame *frame, u64 op) {
  u64 buffer = frame->saved[kept_buffer(op)];
  u64 length_at = frame->saved[REGISTERS_KEPT - 1];
  u32 length = 0;
  if (buffer && length_at) read_quickly(&length, length_at, sizeof length);
  if (length > BESIDE_WORDS * 8) length = BESIDE_WORDS * 8;
  return length ? (u32)read_quickly(words, buffer, length) : 0;
}

/* The address of the peer of the socket `fd`: its bytes. */
static u32 peer_address(u64 *words, u32 fd) {
  u32 length = BESIDE_WORDS * 8;
  long failed = raw3(__NR_getpeername, (long)fd, (long)words, (long)&length);
  return failed || length > BESIDE_WORDS * 8 ? 0 : length;
}

static u32 result_and_filled(u64 *words, u32 room, const struct frame *frame, u64 op, u64 result) {
  u32 got;
  if (room < 2 + BESIDE_WORDS) return 0;
  got = filled_beside(&words[2], frame, op);
  if (!got && FILLED_OR_PEER(op)) got = peer_address(&words[2], (u32)result);
  if (got % 8) words[2 + got / 8] &= (1ul << got % 8 * 8) - 1;
  words[1] = outcome_word(result);
  put_header(&words[0], 8 + got, 0);
  return 2 + (got + 7) / 8;
}

u32 outcome_filled(u64 *words, u32 room, u64 op, const struct frame *frame, u64 result, u32 limit) {
  u64 count = 0, buffer = frame->saved[kept_buffer(op)];
  i32 said = (i32)result;
  if (said < 0 && room >= 2) {
    put_header(&words[0], 8, STRING_IS_NULL);
    words[1] = outcome_word(result);
    return 2;
  }
  if (FILLED_WITH_RESULT(op)) return result_and_filled(words, room, frame, op, result);
  if (FILLED_PARTS(op))
    return capture_parts(words, 0, room, buffer, frame->saved[REGISTERS_KEPT - 1],
                         FILLED_MESSAGE(op), said > 0 ? (u64)said : 0, limit);
  if (!FILLED_THROUGH(op)) count = said > 0 ? (u64)said : 0;
  else if (said > 0) read_quickly(&count, frame->saved[REGISTERS_KEPT - 1], sizeof count);
  return capture_held(words, 0, room, buffer, count, 1, limit, 0);
}
