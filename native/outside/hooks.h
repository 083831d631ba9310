/* The hooks of a process: functions whose sites are patched. */
#ifndef STROBE_OUTSIDE_HOOKS_H
#define STROBE_OUTSIDE_HOOKS_H

#include "image.h"

/* Puts stubs for the functions of a table (record.ts, armEntry) into the program while it runs,
 * which are not used yet; a VERDICT_ code each. */
void hooks_prepare(const struct image *image, const u8 *rows, u32 count, u32 *verdicts);
/* Then hooks those that can be, with all threads stopped. */
void hooks_arm(const struct image *image, const u8 *rows, u32 count, u32 *verdicts);
/* The same the other way; calls of these are recorded no more. */
void hooks_disarm(const struct image *image, const u32 *functions, u32 count);
/* Before all others, with all threads stopped: has the program say before it sets a filter of
 * system calls; which functions cannot be hooked for that is said on standard output. */
void hooks_watch_filters(const struct image *image);
u32 hooks_count(void);
void hooks_disarm_all(const struct image *image);

#endif
