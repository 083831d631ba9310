#include "reader.h"

#include <stdlib.h>
#include <string.h>

u32 reader_word(struct reader *from) {
  u32 word = 0;
  if (from->end - from->at < (ssize_t)sizeof word) from->is_damaged = 1;
  else {
    memcpy(&word, from->at, sizeof word);
    from->at += sizeof word;
  }
  return word;
}

u64 reader_long(struct reader *from) {
  u64 low = reader_word(from);
  return low | (u64)reader_word(from) << 32;
}

/* Where a text begins; `length` of what is damaged is 0. */
static const u8 *read_bytes(struct reader *from, u32 *length) {
  *length = reader_word(from);
  if (from->end - from->at < (ssize_t)*length) from->is_damaged = 1;
  if (from->is_damaged) *length = 0;
  const u8 *found = from->at;
  from->at += *length;
  return found;
}

char *reader_text(struct reader *from) {
  u32 length;
  const u8 *bytes = read_bytes(from, &length);
  char *text = malloc(length + 1);
  if (!text) return 0;
  memcpy(text, bytes, length);
  text[length] = 0;
  return text;
}

void reader_code(struct reader *from, struct code_text *code) {
  u32 length;
  const u8 *bytes = read_bytes(from, &length);
  free(code->bytes);
  code->bytes = length ? malloc(length) : 0;
  code->length = code->bytes ? length : 0;
  if (code->bytes) memcpy(code->bytes, bytes, length);
}
