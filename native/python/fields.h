/* The fields of a definition (src/protocol/definitions.ts) while they are put together. */
#ifndef STROBE_PYTHON_FIELDS_H
#define STROBE_PYTHON_FIELDS_H

#include "engine.h"

#define MOST_FIELD_BYTES 8192
#define MOST_TEXT_BYTES 1000

struct fields {
  u32 bytes;
  u8 at[MOST_FIELD_BYTES];
};

/* What finds no room is left out; texts are cut. */
void fields_put_word(struct fields *fields, u32 word);
void fields_put_text(struct fields *fields, const char *text, size_t length);
/* Returns whether there was room for all of it. */
int fields_put_whole(struct fields *fields, const char *text, size_t length);
/* Returns the number of what they define; 0: it cannot be defined. */
u32 fields_define(const struct fields *fields, u32 kind, u32 line);

#endif
