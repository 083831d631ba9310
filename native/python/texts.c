#include "texts.h"

#include <string.h>

/* Bits of the state: after those that say how it is interned. */
enum { KIND_SHIFT = 2, KIND_MASK = 7, IS_COMPACT = 1 << 5, IS_ASCII = 1 << 6 };

struct text text_of(const object *text) {
  u32 state = GET(text, text_state, u32), kind = state >> KIND_SHIFT & KIND_MASK;
  struct text found = {.length = GET(text, text_length, ssize_t),
                       .is_ascii = (state & IS_ASCII) != 0};
  if ((kind != 1 && kind != 2 && kind != 4) || found.length < 0) return found;
  found.unit_bytes = kind;
  int of_ascii = (state & IS_ASCII) != 0;
  found.units =
      (const u8 *)text + (of_ascii ? offsets.text_ascii_bytes : offsets.text_compact_bytes);
  if (!(state & IS_COMPACT)) found.units = GET(text, text_compact_bytes, const u8 *);
  if (!found.units) found.unit_bytes = 0;
  return found;
}

int text_is(const object *text, const char *ascii) {
  struct text found = text_of(text);
  return found.is_ascii && found.unit_bytes == 1 && (size_t)found.length == strlen(ascii) &&
         !memcmp(found.units, ascii, (size_t)found.length);
}
