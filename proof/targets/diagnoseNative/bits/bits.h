#ifndef BITS_H
#define BITS_H
#include <stddef.h>

/** Bits one after the other, the highest of each byte first. */
struct bits {
  const unsigned char *bytes;
  size_t length;
  size_t at;
};

struct frame {
  int kind;
  int channel;
  int delta;
  int count;
  int samples[8];
};

int bits_left(const struct bits *bits);
unsigned bits_take(struct bits *bits, int count);
int bits_signed(struct bits *bits, int count);
int frame_read(struct frame *frame, const unsigned char *bytes, size_t length);
int frame_sum(const struct frame *frame);
#endif
