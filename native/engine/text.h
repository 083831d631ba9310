/* Paths and numbers, without libc. */
#ifndef STROBE_TEXT_H
#define STROBE_TEXT_H

#include "types.h"

/* Both append at `at`, end the text with a zero and return its new length. */
static inline u32 put_text(char *to, u32 at, const char *text) {
  while (*text) to[at++] = *text++;
  to[at] = 0;
  return at;
}

static inline u32 put_number(char *to, u32 at, u32 number) {
  char digits[12];
  u32 count = 0;
  do digits[count++] = (char)('0' + number % 10);
  while (number /= 10);
  while (count) to[at++] = digits[--count];
  to[at] = 0;
  return at;
}

/* Hexadecimal digits from `at` on, which moves behind them. */
static inline u64 read_hex(const u8 *text, u64 *at) {
  u64 value = 0;
  for (;; (*at)++) {
    u8 c = text[*at];
    if (c >= '0' && c <= '9') value = value << 4 | (u64)(c - '0');
    else if (c >= 'a' && c <= 'f') value = value << 4 | (u64)(c - 'a' + 10);
    else return value;
  }
}

#endif
