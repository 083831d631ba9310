#include "bits.h"

static int sample_read(struct bits *bits, const struct frame *frame) {
  if (frame->kind == 0) return (int)bits_take(bits, 6);
  return bits_signed(bits, frame->delta);
}

/** How many samples there are; less than zero: it is cut off. */
int frame_read(struct frame *frame, const unsigned char *bytes, size_t length) {
  struct bits bits = {bytes, length, 0};
  if (bits_left(&bits) < 12) return -1;
  frame->kind = (int)bits_take(&bits, 2);
  frame->channel = (int)bits_take(&bits, 3);
  frame->count = (int)bits_take(&bits, 3);
  frame->delta = (int)bits_take(&bits, 4);
  int last = 0;
  for (int at = 0; at < frame->count; at++) {
    int wide = frame->kind == 0 ? 6 : frame->delta;
    if (bits_left(&bits) < wide) return -1;
    int sample = sample_read(&bits, frame);
    last = frame->kind == 0 ? sample : last + sample;
    frame->samples[at] = last;
  }
  return frame->count;
}

int frame_sum(const struct frame *frame) {
  int sum = 0;
  for (int at = 0; at < frame->count; at++) sum += frame->samples[at];
  return sum;
}
