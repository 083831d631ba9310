/* Items of a value (src/model/values/dynamicValue.ts) while they are written. What has no room is
 * not begun, and marks the value as cut. */
#ifndef STROBE_PYTHON_WRITER_H
#define STROBE_PYTHON_WRITER_H

#include "api.h"

#define MOST_LEVELS 16
#define MOST_NUMBER_BYTES 10

struct writer {
  u8 *at;
  const u8 *end;
  int is_full;
};

static inline int writer_has_room(struct writer *to, size_t bytes) {
  if (to->at + bytes <= to->end) return 1;
  to->is_full = 1;
  return 0;
}

void writer_put_tag(struct writer *to, u8 tag);
/* There must be room for it. */
void writer_put_raw(struct writer *to, const void *bytes, size_t count);
/* LEB128; the same. */
void writer_put_number(struct writer *to, u64 number);
void writer_put_integer(struct writer *to, int64_t number);
void writer_put_float(struct writer *to, double number);
/* Units of 1, 2 or 4 bytes: how many a text has, how many of them are kept. */
void writer_put_text(struct writer *to, const void *units, u32 unit_bytes, ssize_t length,
                     ssize_t held);
/* Begins an item that holds others; null: there is no room. */
u8 *writer_open(struct writer *to, u8 tag);
void writer_close(struct writer *to, u8 *open);
/* The same with the number of its class and its identity. */
u8 *writer_open_object(struct writer *to, u8 tag, u32 class, const object *of);
void writer_put_other(struct writer *to, u32 class, const object *of);

#endif
