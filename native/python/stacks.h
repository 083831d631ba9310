/* Where the threads of an interpreter are. Nothing is locked, stopped or called for that: all is
 * read as if it might be gone. So it can be asked for at any time, also while the process dies. */
#ifndef STROBE_PYTHON_STACKS_H
#define STROBE_PYTHON_STACKS_H

#include "api.h"

/* Writes a note for each thread. `word`: NOTE_THREAD of a process that lives, NOTE_DIED. */
void stacks_note(const char *word);

#endif
