/* Four numbers at once are read from an address that is not a multiple of 16: the kernel names no address. */
#include <emmintrin.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) float sum(const float *from, int count) {
  __m128 four = _mm_setzero_ps();
  for (int i = 0; i < count; i += 4)
    four = _mm_add_ps(four, *(const __m128 *)(from + i));
  float parts[4];
  _mm_storeu_ps(parts, four);
  return parts[0] + parts[1] + parts[2] + parts[3];
}
int main(void) {
  float *all = calloc(64, sizeof *all);
  printf("%f\n", sum(all, 16));
  printf("%f\n", sum(all + 1, 16));
}
