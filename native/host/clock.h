#pragma once
#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC, in nanoseconds. */
static inline uint64_t clock_ns(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

static inline void clock_pause(uint64_t ns) {
  nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
}
