/* What filters that the program sets forbid of what recording asks of the system: the code in the
 * program writes it into the ring file. */
#ifndef STROBE_OUTSIDE_FORBIDDEN_H
#define STROBE_OUTSIDE_FORBIDDEN_H

#include "../engine/types.h"

void forbidden_begin(int ring_file);
/* As FILE_FORBIDDEN. */
u32 forbidden_read(void);
/* Says what is new of it on standard output: `forbids CALLS NANOSECONDS`, in CLOCK_MONOTONIC. On
 * any thread, between lines of others. */
void forbidden_say(void);

#endif
