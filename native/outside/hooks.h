/* The hooks of a process: functions whose sites are patched. */
#ifndef STROBE_OUTSIDE_HOOKS_H
#define STROBE_OUTSIDE_HOOKS_H

#include "image.h"

/* Hooks the functions of a table (record.ts, armEntry) with all threads stopped; a VERDICT_ code
 * each. */
void hooks_arm(const struct image *image, const u8 *rows, u32 count, u32 *verdicts);
/* The same the other way; calls of these are recorded no more. */
void hooks_disarm(const struct image *image, const u32 *functions, u32 count);
u32 hooks_count(void);
void hooks_disarm_all(const struct image *image);

#endif
