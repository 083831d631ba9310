/* Descriptors of the instrumentation. */
#ifndef STROBE_OWN_FILES_H
#define STROBE_OWN_FILES_H

#include "types.h"

#define MOST_OWN_FILES 64

/* Those that were the instrumentation's when the process began, ascending; a forked child may have
 * closed them. */
extern int own_files[MOST_OWN_FILES];
extern u32 own_file_count;

void own_files_set(const int *files, u32 count);
int own_files_hold(u32 file);

#endif
