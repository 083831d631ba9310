/* What an earlier tracer left in the threads of a program. */
#ifndef STROBE_OUTSIDE_WORDS_H
#define STROBE_OUTSIDE_WORDS_H

#include "../engine/types.h"
#include <sys/types.h>

/* With all threads stopped: sets the word at this offset of each thread's block to 0, but of one
 * that is still in the code that was put there: it may keep a register in the word. Words that lead
 * to where we come, `from` to `to`, where no thread is, stay if `stays`. */
void words_clear(pid_t pid, u32 offset, u64 from, u64 to, int stays);
/* Whether a C library made the program's threads. It may give the block of one that ended to
 * another as it is. */
int words_are_of_library(void);

#endif
