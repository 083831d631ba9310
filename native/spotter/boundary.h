/* Where the last instruction of some code begins. */
#ifndef SPOTTER_BOUNDARY_H
#define SPOTTER_BOUNDARY_H

#include <stdint.h>

#define LONGEST_INSTRUCTION 15

/* How long the last instruction of `code`, which lies before `end`, is; 0: that cannot be said. */
uint32_t instruction_before(const uint8_t *code, uint32_t bytes, uint64_t end);

#endif
