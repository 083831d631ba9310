/* Whole numbers of the interpreter, as they lie in memory. */
#ifndef STROBE_PYTHON_INTEGERS_H
#define STROBE_PYTHON_INTEGERS_H

#include "api.h"

enum { DIGIT_BITS = 30 };

/* Of an int; the lowest digit first. */
struct digits {
  const u32 *at;
  ssize_t count;
  int is_negative;
};

static inline struct digits digits_of(const object *value) {
  struct digits digits = {.at = &GET(value, integer_digits, const u32)};
  if (offsets.integer_tag == NO_MEMBER) {
    ssize_t size = GET(value, ob_size, ssize_t);
    digits.is_negative = size < 0;
    digits.count = size < 0 ? -size : size;
    return digits;
  }
  enum { SIGN_MASK = 3, IS_ZERO = 1, IS_NEGATIVE = 2, COUNT_SHIFT = 3 };
  uintptr_t tag = GET(value, integer_tag, uintptr_t);
  digits.is_negative = (tag & SIGN_MASK) == IS_NEGATIVE;
  digits.count = (tag & SIGN_MASK) == IS_ZERO ? 0 : (ssize_t)(tag >> COUNT_SHIFT);
  return digits;
}

static inline int is_integer(const object *any) {
  return (flags_of(type_of(any)) & TYPE_IS_INTEGER) != 0;
}

/* One that has at most two digits; others as zero. */
static inline int64_t small_integer(const object *value) {
  struct digits digits = digits_of(value);
  int64_t number = 0;
  if (digits.count > 2) return 0;
  for (ssize_t i = digits.count - 1; i >= 0; i--) number = number << DIGIT_BITS | digits.at[i];
  return digits.is_negative ? -number : number;
}

#endif
