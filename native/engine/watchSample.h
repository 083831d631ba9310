/* One sample of a watch. */
#ifndef STROBE_WATCH_SAMPLE_H
#define STROBE_WATCH_SAMPLE_H

#include "cpu.h"
#include "watchRows.h"

typedef void record_writer(u8 *slot, u32 kind, u32 fn, u64 sp, const u64 *words, u32 count);

/* Records what a watch means now: EVENT_WATCH, with its number and flags in place of a function.
 * `entry_sp`: what its stack words count from; `sp`: of its call. */
void watch_sample(record_writer *write, u8 *slot, const struct watch *watch, u32 flags,
                  const struct registers *r, u64 entry_sp, u64 sp);

#endif
