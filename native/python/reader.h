/* The daemon's table (src/protocol/pythonTracer.ts), read in order. What is damaged reads as 0. */
#ifndef STROBE_PYTHON_READER_H
#define STROBE_PYTHON_READER_H

#include "api.h"

struct reader {
  const u8 *at, *end;
  int is_damaged;
};

/* Operations of src/protocol/pythonTracer.ts. */
struct code_text {
  u8 *bytes;
  u32 length; /* 0: no condition */
};

u32 reader_word(struct reader *from);
u64 reader_long(struct reader *from);
/* To be freed; null: there is no memory. */
char *reader_text(struct reader *from);
/* In place of what was there. */
void reader_code(struct reader *from, struct code_text *code);

#endif
