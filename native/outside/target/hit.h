/* Hits of breakpoints: what is recorded in the middle of a function, and where an invariant breaks.
 */
#ifndef STROBE_OUTSIDE_HIT_H
#define STROBE_OUTSIDE_HIT_H

#include "../../engine/probeRow.h"
#include "area.h"

/* Filled by the tracer while no thread of the program runs. */
extern struct probe outside_probes[MOST_PROBES] __attribute__((visibility("hidden")));

/* Whether a hit is recorded, by its condition, its invariant and its limits; else it is counted.
 * `is_meant`: by the thread that is there. */
int hit_is_wanted(u8 *slot, struct probe *probe, struct probe_place *place, int is_meant);

#endif
