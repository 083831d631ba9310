/* Policies of functions: which of their calls are recorded. */
#ifndef STROBE_OUTSIDE_POLICIES_H
#define STROBE_OUTSIDE_POLICIES_H

#include "block.h"

/* Before the program stops: waits until that says how fast it counts. */
void policies_measure(void);
/* `count` policyEntry rows. Returns an error number; `refused`: for how many there is no room. */
int policies_set(const u8 *table, u32 count, u32 *refused);
int policies_record(int is_on);

#endif
