#pragma once
#include "held.h"

#include <stdint.h>
#include <sys/types.h>

/* A place in the code of a process's files that jumps to itself, outside of what was changed; 0
 * when none was found. */
uint64_t spin_find(pid_t pid, const struct held *held);

/* Whether a write of `wanted` over `current` sets a breakpoint. */
int spin_is_breakpoint(uint64_t current, uint64_t wanted);

/* The word with a jump to itself at its beginning. */
uint64_t spin_in(uint64_t word);
