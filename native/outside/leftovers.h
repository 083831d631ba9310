/* What earlier tracers have left in the program: their blocks, and, of one that was killed, jumps
 * to stubs in it. They would be taken for code of the program's own. */
#ifndef STROBE_OUTSIDE_LEFTOVERS_H
#define STROBE_OUTSIDE_LEFTOVERS_H

#include "image.h"

#define MOST_BLOCKS 16

/* With all threads stopped, before there is a block of ours: looks for such blocks. Returns whether
 * a thread is in code of one, or comes back to it from a signal's handler. */
int leftovers_are_used(pid_t pid);
/* With all threads stopped, after that: puts the program's own code in the place of jumps to them,
 * as its file has it. */
void leftovers_take_back(const struct image *image);
/* After that: the blocks that no thread and no jump leads to. Returns how many. */
u32 leftovers_free(u64 *found);

#endif
