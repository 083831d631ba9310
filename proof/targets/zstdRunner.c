/* Compresses a file at many levels, with a dictionary and in a stream, and brings it back; also what is damaged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zdict.h>
#include <zstd.h>

static unsigned sum_of(const unsigned char *bytes, size_t count) {
  unsigned sum = 2166136261u;
  for (size_t i = 0; i < count; i++) sum = (sum ^ bytes[i]) * 16777619u;
  return sum;
}

int main(int argc, char **argv) {
  static unsigned char text[1 << 16], packed[1 << 17], back[1 << 16], dictionary[4096];
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!file) return 2;
  const size_t length = fread(text, 1, sizeof text, file);
  fclose(file);
  for (int level = -3; level <= 12; level += 3) {
    const size_t size = ZSTD_compress(packed, sizeof packed, text, length, level);
    const size_t got = ZSTD_decompress(back, sizeof back, packed, size);
    printf("%d: %zu %08x %d\n", level, size, sum_of(packed, size), got == length && !memcmp(text, back, length));
    packed[size / 2] ^= 0x55;
    const size_t damaged = ZSTD_decompress(back, sizeof back, packed, size);
    printf("  damaged: %s\n", ZSTD_isError(damaged) ? ZSTD_getErrorName(damaged) : "unseen");
  }
  size_t pieces[64];
  for (int i = 0; i < 64; i++) pieces[i] = length / 64;
  const size_t trained = ZDICT_trainFromBuffer(dictionary, sizeof dictionary, text, pieces, 64);
  printf("dictionary: %s\n", ZDICT_isError(trained) ? ZDICT_getErrorName(trained) : "made");
  ZSTD_CCtx *context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  ZSTD_outBuffer out = {packed, sizeof packed, 0};
  for (size_t at = 0; at < length; at += 1000) {
    ZSTD_inBuffer in = {text + at, length - at < 1000 ? length - at : 1000, 0};
    ZSTD_compressStream2(context, &out, &in, at + 1000 >= length ? ZSTD_e_end : ZSTD_e_continue);
  }
  printf("stream: %zu %08x\n", out.pos, sum_of(packed, out.pos));
  ZSTD_freeCCtx(context);
  return 0;
}
