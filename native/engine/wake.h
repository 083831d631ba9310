/* Waking who waits for a file. */
#ifndef STROBE_WAKE_H
#define STROBE_WAKE_H

#include "types.h"

/* Wakes the reader of a file that says at `asleep` that it waits for that, by touching the file's
 * times. When that cannot be done, `wakes` becomes 0. */
void wake_reader(u32 *asleep, u32 *wakes, const char *path);

#endif
