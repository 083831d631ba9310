/* Statements that are recorded: in the middle of functions, by a jump of their own or by that of a
 * hook which displaces them. */
#ifndef STROBE_OUTSIDE_PROBES_H
#define STROBE_OUTSIDE_PROBES_H

#include "image.h"
#include "jumps.h"

/* Says what is recorded at `count` statements (record.ts, probeEntry), with all threads stopped.
 * Returns 0 or an error number. */
int probes_set(const u8 *rows, u32 count);
/* Which row of the program is that of a function's number; MOST_PROBES: none. */
u32 probes_row(u32 fn);
/* Puts a stub for a statement into the program, which is not used yet. Returns a VERDICT_ code. */
u32 probes_prepare(const struct image *image, const u8 *row);
/* With all threads stopped. Returns a VERDICT_ code. */
u32 probes_arm(u32 fn);
void probes_disarm(u32 fn);
void probes_disarm_all(void);
u32 probes_count(void);
/* Before another jump is written: what it displaces is recorded by it from then on. */
u32 probes_make_room(struct jump *jump);
/* Whether a statement is recorded by this jump. */
int probes_need(const struct jump *jump);

#endif
