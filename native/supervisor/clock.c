#include "clock.h"

#include <stdint.h>
#include <time.h>

uint64_t monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t cycles(void) {
#if defined(__x86_64__)
  uint32_t low, high;
  __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
  return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
  uint64_t value;
  __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value) : : "memory");
  return value;
#else
#error "no cycle counter known for this processor"
#endif
}

/* The tightest of several readings: a reading torn by an interrupt would shift the whole mapping.
 */
struct clock_pair read_clocks(void) {
  struct clock_pair best = {0, 0};
  uint64_t width = UINT64_MAX;
  for (int i = 0; i < 8; i++) {
    uint64_t before = cycles(), ns = monotonic_ns(), after = cycles();
    if (after - before < width) {
      width = after - before;
      best = (struct clock_pair){before + width / 2, ns};
    }
  }
  return best;
}
