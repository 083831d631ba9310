/* See clock.h. */
#include "clock.h"
#include "../engine/raw.h"
#include <time.h>

#define SECOND 1000000000ul

static u64 began, began_ns;

static u64 now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (u64)now.tv_sec * SECOND + (u64)now.tv_nsec;
}

void clock_begin(void) {
  began = timestamp();
  began_ns = now_ns();
}

u64 clock_passed(void) { return now_ns() - began_ns; }

u64 clock_rate(void) {
  u64 passed = clock_passed();
  return (u64)((double)(timestamp() - began) * (double)SECOND / (double)passed);
}

u64 clock_time(u64 cycles) {
  return began_ns + (u64)((double)(cycles - began) * (double)SECOND / (double)clock_rate());
}
