#include "writer.h"
#include "engine.h"

#include <string.h>

enum { SIZE_BYTES = 2, IDENTITY_BYTES = 6 };

void writer_put_tag(struct writer *to, u8 tag) {
  if (writer_has_room(to, 1)) *to->at++ = tag;
}

void writer_put_raw(struct writer *to, const void *bytes, size_t count) {
  memcpy(to->at, bytes, count);
  to->at += count;
}

void writer_put_number(struct writer *to, u64 number) {
  for (; number >= 128; number >>= 7) *to->at++ = (u8)(number | 128);
  *to->at++ = (u8)number;
}

void writer_put_integer(struct writer *to, int64_t number) {
  if (!writer_has_room(to, 9)) return;
  u32 bytes = 8;
  u8 tag = ITEM_I64;
  if (number == (int8_t)number) bytes = 1, tag = ITEM_I8;
  else if (number == (int16_t)number) bytes = 2, tag = ITEM_I16;
  else if (number == (int32_t)number) bytes = 4, tag = ITEM_I32;
  *to->at++ = tag;
  writer_put_raw(to, &number, bytes);
}

void writer_put_float(struct writer *to, double number) {
  if (!writer_has_room(to, 9)) return;
  *to->at++ = ITEM_FLOAT;
  writer_put_raw(to, &number, sizeof number);
}

void writer_put_text(struct writer *to, const void *units, u32 unit_bytes, ssize_t length,
                     ssize_t held) {
  size_t head = 1 + 2 * MOST_NUMBER_BYTES, left = (size_t)(to->end - to->at);
  if (left <= head || (held > 0 && left < head + unit_bytes)) {
    to->is_full = 1;
    return;
  }
  if (head + (size_t)held * unit_bytes > left) held = (ssize_t)((left - head) / unit_bytes);
  *to->at++ = unit_bytes == 1 ? ITEM_TEXT1 : unit_bytes == 2 ? ITEM_TEXT2 : ITEM_TEXT4;
  writer_put_number(to, (u64)length);
  writer_put_number(to, (u64)held);
  writer_put_raw(to, units, (size_t)held * unit_bytes);
}

u8 *writer_open(struct writer *to, u8 tag) {
  if (!writer_has_room(to, 1 + SIZE_BYTES + MOST_NUMBER_BYTES)) return 0;
  *to->at++ = tag;
  u8 *open = to->at;
  to->at += SIZE_BYTES;
  return open;
}

void writer_close(struct writer *to, u8 *open) {
  u16 bytes = (u16)(to->at - open - SIZE_BYTES);
  memcpy(open, &bytes, sizeof bytes);
}

static void put_identity(struct writer *to, const object *of) {
  u64 identity = (u64)of >> 4;
  writer_put_raw(to, &identity, IDENTITY_BYTES);
}

u8 *writer_open_object(struct writer *to, u8 tag, u32 class, const object *of) {
  if (!writer_has_room(to, 1 + SIZE_BYTES + MOST_NUMBER_BYTES + IDENTITY_BYTES)) return 0;
  u8 *open = writer_open(to, tag);
  if (!open) return 0;
  writer_put_number(to, class);
  put_identity(to, of);
  return open;
}

void writer_put_other(struct writer *to, u32 class, const object *of) {
  if (!writer_has_room(to, 1 + MOST_NUMBER_BYTES + IDENTITY_BYTES)) return;
  *to->at++ = ITEM_OTHER;
  writer_put_number(to, class);
  put_identity(to, of);
}
