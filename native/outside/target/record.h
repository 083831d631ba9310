/* What records of Go share. */
#ifndef STROBE_OUTSIDE_RECORD_H
#define STROBE_OUTSIDE_RECORD_H

#include "../../engine/probeRow.h"
#include "area.h"

/* Which goroutine runs, and where in its stack it is: the same number at a call's entry and at its
 * return, also when the stack was copied in between. Calls further in have smaller ones. */
u64 record_place(const struct area *area);
/* The same of a call that is open, by where its return address is. */
u64 record_place_of(const struct area *area, u64 sp);
u32 record_goroutine(const struct area *area);
/* The goroutine lets others run, calls the system, or leaves calls. */
void outside_parked(struct area *area, const u8 *row);
/* Before something is recorded that begins at a place. */
void record_begins(struct area *area, u8 *slot, u64 place);

/* Records what a probe asks for, as a call that is made there. */
void record_hit(struct area *area, u8 *slot, struct probe *probe, const struct probe_place *place);

#endif
