#include "bits.h"

int bits_left(const struct bits *bits) { return (int)(bits->length * 8 - bits->at); }

static int bit_at(const struct bits *bits, size_t at) { return (bits->bytes[at / 8] >> (7 - at % 8)) & 1; }

unsigned bits_take(struct bits *bits, int count) {
  unsigned value = 0;
  for (int at = 0; at < count; at++) value = value << 1 | bit_at(bits, bits->at + at);
  bits->at += count;
  return value;
}

/** The first bit is the sign, in two's complement. */
int bits_signed(struct bits *bits, int count) {
  unsigned value = bits_take(bits, count);
  unsigned sign = 1u << (count - 1);
#if FAULT == 1
  return value & sign ? -(int)(value ^ sign) : (int)value;
#else
  return (int)(value ^ sign) - (int)sign;
#endif
}
