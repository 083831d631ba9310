/* What is done while threads are stopped, and how that ends. */
#ifndef STROBE_STOP_WORK_H
#define STROBE_STOP_WORK_H

#include "types.h"

#define STOP_WAIT_NS 2000000000ul
#define STOP_MAX_THREADS 1024

struct stop_work {
  void (*run)(void *argument); /* must use no libc and take no lock */
  void *argument;
  u64 (*move)(u64 pc); /* where a stopped thread goes on */
};

#define STOP_LATE (-1)
/* Another traces the threads, or nobody can (an emulator). */
#define STOP_HELD (-2)

#endif
