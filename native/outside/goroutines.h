/* Where goroutines that are not running stand: one that was preempted goes on at an instruction in
 * the middle of a function. */
#ifndef STROBE_OUTSIDE_GOROUTINES_H
#define STROBE_OUTSIDE_GOROUTINES_H

#include "image.h"

/* Looks at the stacks of all, and at what is above the stack pointers of threads: frames of signal
 * handlers. With all threads stopped. */
void goroutines_read(const struct image *image);
/* Whether one may stand at from .. to - 1: any word of a stack may be such a place. */
int goroutines_stand(u64 from, u64 to);

#endif
