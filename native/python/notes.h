/* What the daemon learns besides calls: lines of the notes file. */
#ifndef STROBE_PYTHON_NOTES_H
#define STROBE_PYTHON_NOTES_H

#include "table.h"

/* Where they are written from now on. */
void notes_begin(const char *path);
/* Their file, by which the daemon knows the process. */
const char *notes_path(void);
void notes_write(const char *word, const char *text);

#endif
