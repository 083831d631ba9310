/* What a tracer that was killed has left in the program: its block, and jumps to stubs in it. They
 * would be taken for code of the program's own. */
#ifndef STROBE_OUTSIDE_LEFTOVERS_H
#define STROBE_OUTSIDE_LEFTOVERS_H

#include "image.h"

/* With all threads stopped, before there is a block of ours: looks for such blocks. Returns whether
 * a thread is in code of one. */
int leftovers_are_used(pid_t pid);
/* With all threads stopped, after that: puts the program's own code in the place of jumps to them,
 * as its file has it. */
void leftovers_take_back(const struct image *image);

#endif
