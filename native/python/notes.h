/* What the daemon learns besides calls: lines of the notes file. */
#ifndef STROBE_PYTHON_NOTES_H
#define STROBE_PYTHON_NOTES_H

#include "table.h"

/* Where they are written from now on. */
void notes_begin(const char *path);
void notes_write(const char *word, const char *text);

#endif
