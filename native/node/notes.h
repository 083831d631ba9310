/* What the daemon learns besides calls: lines of the notes file. */
#ifndef STROBE_NODE_NOTES_H
#define STROBE_NODE_NOTES_H

#include "engine.h"

/* Lines go into the file at `path` from now on, and those that last are written again: its reader
 * has not read the file before. */
void notes_begin(const char *path);
/* Writes a line, with its end. `lasts`: it says what stays true of the process. */
void notes_write(const char *line, u32 bytes, int lasts);

#endif
