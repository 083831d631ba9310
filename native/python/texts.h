/* Texts of the interpreter, as they lie in memory. */
#ifndef STROBE_PYTHON_TEXTS_H
#define STROBE_PYTHON_TEXTS_H

#include "api.h"

struct text {
  const u8 *units;
  ssize_t length; /* in units */
  u32 unit_bytes; /* 1, 2 or 4; 0: it cannot be read */
  u32 is_ascii;
};

struct text text_of(const object *text);
/* Whether it is this, in ASCII. */
int text_is(const object *text, const char *ascii);

static inline int is_text(const object *any) {
  return (flags_of(type_of(any)) & TYPE_IS_TEXT) != 0;
}

#endif
