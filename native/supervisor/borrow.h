/* What a process does for the supervisor at its exec. */
#ifndef STROBE_BORROW_H
#define STROBE_BORROW_H

#include "wire.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { TAKEN_NUMBERS = WIRE_LOW_NUMBERS - 3, BORROWED_WORDS = 3 };
struct borrowed {
  uint64_t registers[27], code[BORROWED_WORDS];
  uint32_t taken, numbers[TAKEN_NUMBERS]; /* descriptors that the host's are to lie above */
};
bool begin_borrowing(pid_t pid, struct borrowed *saved); /* a SIGTRAP follows when true */
void end_borrowing(pid_t pid, const struct borrowed *saved);

#endif
