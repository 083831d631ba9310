/* What the thunks look at (tables.inc). */
#ifndef STROBE_TABLES_H
#define STROBE_TABLES_H

#include "types.h"

/* What is true of this process alone: a forked child finds zeros here (MADV_WIPEONFORK). */
struct engine_process {
  u64 epoch; /* another at each start and in each child; 0: this process does not record (yet) */
  u64 frame_epoch; /* the same, as plan words have it */
  u32 begin_lock;
  u32 claim_lock;
  u32 define_lock;
  u32 openers;    /* threads that make parts of the ring file reachable, see ringSpace.h */
  u32 has_failed; /* this child can have no ring */
  u32 has_forgotten;
  u32 pid; /* of a child that libc forked: one by vfork has another, and shares this */
};

/* Whether each hook is on; shared with forked children, as what follows in memory (recording.c):
 * whether it is armed, whether it is on also while nothing is recorded. */
extern u8 engine_flags[RECORD_MAX_FUNCTIONS], engine_armed[RECORD_MAX_FUNCTIONS],
    engine_always[RECORD_MAX_FUNCTIONS];
extern struct engine_recording {
  u32 is_off;
  u32 changes; /* of what is armed, or always on */
} engine_recording;
extern struct engine_process engine_process;
extern u64 engine_targets[RECORD_MAX_FUNCTIONS];
extern u32 engine_plan_words[RECORD_MAX_FUNCTIONS];
/* Where a function's row of counted calls lies in each slot; 0: it has none. */
extern u32 engine_counted_rows[ALL_FUNCTIONS];
/* Cycles without a call after which a hot function may be hot no more. */
extern u64 engine_pause;

#endif
