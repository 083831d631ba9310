/* The code of a function, read instruction by instruction. */
#ifndef STROBE_OUTSIDE_READING_H
#define STROBE_OUTSIDE_READING_H

#include "../engine/x64/decode.h"
#include "image.h"

#define PADDING 0xcc

enum leaves { LEAVES_NOT, LEAVES_RETURN, LEAVES_TAIL };

struct line {
  struct instruction in;
  u32 at;
  u8 is_target; /* something leads there */
  u8 may_fault;
  u8 leaves;
  u8 is_used; /* by a site */
};

struct body {
  const u8 *code;
  u64 address;
  u32 bytes; /* without the padding behind it */
  u32 room;  /* with it */
  struct line *lines;
  u32 count;
  const struct function *function;
  u8 is_framed; /* rbp leads to its frame throughout */
  u8 is_part;   /* only some of its instructions are moved, and none of its ends */
};

/* Fills `lines`, for which there is room. Returns a VERDICT_ code. */
u32 reading_of(struct body *body);
/* In C: whether anything in the program leads into the middle of a line, or to its beginning. */
int reading_is_led_into(const struct body *body, const struct line *line);
int reading_is_led_to(const struct body *body, const struct line *line);
int reading_is_inside(const struct body *body, u64 target);
/* How many bytes of padding follow a line; none but behind the last one. */
u32 reading_padding(const struct body *body, const struct line *line);

#endif
