/* The clocks that records are stamped with. */
#ifndef STROBE_CLOCK_H
#define STROBE_CLOCK_H

#include <stdint.h>

uint64_t monotonic_ns(void);
struct clock_pair {
  uint64_t tsc, ns;
};
struct clock_pair read_clocks(void);

#endif
