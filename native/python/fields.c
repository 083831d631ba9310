#include "fields.h"

#include <string.h>

void fields_put_word(struct fields *fields, u32 word) {
  if (fields->bytes + sizeof word > MOST_FIELD_BYTES) return;
  memcpy(fields->at + fields->bytes, &word, sizeof word);
  fields->bytes += sizeof word;
}

/* A byte that continues a character of UTF-8. */
static int continues(char byte) { return (byte & 0xc0) == 0x80; }

void fields_put_text(struct fields *fields, const char *text, size_t length) {
  size_t room = MOST_FIELD_BYTES - fields->bytes;
  size_t most = room < 4 ? 0 : room - 4 < MOST_TEXT_BYTES ? room - 4 : MOST_TEXT_BYTES;
  if (length > most) {
    length = most;
    while (length && continues(text[length])) length--;
  }
  fields_put_word(fields, (u32)length);
  if (room < 4) return;
  memcpy(fields->at + fields->bytes, text, length);
  fields->bytes += (u32)length;
}

int fields_put_whole(struct fields *fields, const char *text, size_t length) {
  if (MOST_FIELD_BYTES - fields->bytes < length + sizeof fields->bytes) return 0;
  fields_put_word(fields, (u32)length);
  memcpy(fields->at + fields->bytes, text, length);
  fields->bytes += (u32)length;
  return 1;
}

u32 fields_define(const struct fields *fields, u32 kind, u32 line) {
  return engine.define(kind, DEFINITION_LANGUAGE_PYTHON, line, fields->at, fields->bytes);
}
