/* Where the rings lie, and which is this thread's. */
#ifndef STROBE_RINGS_H
#define STROBE_RINGS_H

#include "types.h"

/* Low bits of a thread's slot pointer: the epoch it was claimed in. */
#define SLOT_EPOCH_MASK 0xfff
#define LAST_SLOT_EPOCH 4095

/* Positions in a ring at which its room and hot functions are looked at: events of two records meet
 * one, too. */
#define HOT_CHECK_MASK (HOT_CHECK_BYTES - 64)

/* How far ahead a thread has the lines of its ring brought to its processor: its reader had them
 * last. */
#define FETCHED_AHEAD 1024

#ifndef __ASSEMBLER__

#include "raw.h"
#include "tables.h"

/* One per thread, in static TLS. `slot` is null while the thread records nothing, else the slot's
 * address plus the epoch it was claimed in: that of another epoch is a parent process's. */
struct engine_thread {
  u64 slot;
  u32 epoch; /* that the rest belongs to */
  u32 claiming;
  u32 refused; /* calls since the last vain search for a slot */
  u32 rounds;  /* of the exit destructor */
  u32 dead;
  u32 reads;      /* of the event under way, see reads.c; 0: not known */
  u32 turn;       /* in which it came; 0: not known */
  u32 waiting;    /* the calls that wait are being changed, see waiting.c */
  u32 began;      /* asked for a stack for signals */
  u32 in_scratch; /* what is captured is put together in the slot, see ring.c */
  /* Of the jump recorded last, see jumps.c: what the stack pointer became, and the slot's events
   * then. */
  u64 jumped_to, jumped_at;
};

extern __thread struct engine_thread engine_thread __attribute__((tls_model("initial-exec")));

#define PATH_BYTES 512
#define FORKED_NAME_BYTES 16 /* ".", a pid, ".", a digit */

struct ring_file {
  u8 *base;
  u32 slot_count;
  u32 ring_bytes; /* of a thread's first ring */
  u32 most_bytes; /* of its largest one */
  u32 rows;       /* of a slot's table of counted calls: there is place for so many */
  u64 stride;
  u64 grow_bytes, grown; /* what all larger rings may take, and take */
  char path[PATH_BYTES];
  u64 device, inode;
  u32 is_forked;
  u64 left_bytes; /* of the place at `base` that was left and may be used again */
};
extern struct ring_file engine_file;

/* What the table takes beyond SLOT_BYTES. */
static inline u32 rows_beyond(const struct ring_file *file) {
  return (file->rows - COUNTED_COUNT) * COUNTED_BYTES;
}

/* This thread's slot, or null: it has none, or one that belongs to a parent process. */
static inline u8 *thread_slot(void) {
  u64 slot = engine_thread.slot;
  if (!slot || (slot ^ RELAXED(engine_process.epoch)) & SLOT_EPOCH_MASK) return 0;
  return (u8 *)(slot & ~(u64)SLOT_EPOCH_MASK);
}

/* Where the thread that writes the slot puts the record of a position: behind the header also of a
 * slot that has become zeros under its hands (leave.c, forked.c). */
static inline u8 *ring_place(u8 *slot, u64 position) {
  return slot + SLOT_BYTES + *(u32 *)(slot + SLOT_RING_BASE) +
         ((u32)position & *(u32 *)(slot + SLOT_RING_MASK));
}

/* Whether we were brought into this process, and record; not so in a forked child. */
static inline int is_first_process(void) {
  return RELAXED(engine_process.epoch) && !engine_file.is_forked;
}

#endif
#endif
