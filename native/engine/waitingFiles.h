/* Pages of files that another process, or another machine, fills in. */
#ifndef STROBE_WAITING_FILES_H
#define STROBE_WAITING_FILES_H

#include "types.h"

/* Whether such a file system is mounted, as of `period`: a number that changes from time to time.
 * It is looked for once in each. */
int waiting_files_mounted(u32 period);

/* Whether some of that is not mapped yet, and of a file on such a file system. */
int waiting_files_hold(u64 from, u64 length);

#endif
