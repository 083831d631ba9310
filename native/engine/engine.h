/* What the parts of the engine share. The library imports nothing: no libc, no unwinder; what it
 * needs of them (pthread keys, _Unwind_GetCFA) is handed in at the start.
 *
 *   hooked function: jump ─▶ island: jump ─▶ thunk i
 *     ─▶ engine_enter ─▶ call island's displaced code
 */
#ifndef STROBE_ENGINE_H
#define STROBE_ENGINE_H

#include "record.h"

#define ENGINE_VERSION 1

/* Plan word: function number (20 bits) · more than one word << 20 · epoch << 21 · the bits below.
 */
#define PLAN_EPOCH_SHIFT 21
#define PLAN_EPOCH_MASK 0x03e00000
#define PLAN_FLOAT_RETURN 0x04000000
#define PLAN_STRING_RETURN 0x08000000
#define PLAN_STACK 0x10000000
/* Of a function: its calls are sampled. In a frame, with the next: its end is to be counted. */
#define PLAN_COUNTED 0x20000000
/* Set in a frame whose entry was not recorded, so that its end is not either. With PLAN_COUNTED and
 * without PLAN_GENERAL: it waits, and how long the call took decides (waiting.c). */
#define PLAN_UNRECORDED 0x40000000
/* The same bit of a function: which calls are recorded depends on more than their number. */
#define PLAN_FILTERED 0x40000000
/* The entry needs the C path. */
#define PLAN_GENERAL 0x80000000
#define PLAN_TAG_MASK 0x001fffff
#define PLAN_FUNCTION_MASK 0x000fffff

/* Low bits of a thread's slot pointer: the epoch it was claimed in. */
#define SLOT_EPOCH_MASK 0xfff
#define LAST_SLOT_EPOCH 4095
#define LAST_FRAME_EPOCH 31

/* Positions in a ring at which its room and hot functions are looked at: events of two records meet
 * one, too. */
#define HOT_CHECK_MASK (HOT_CHECK_BYTES - 64)
#define STACK_COPY_MAX 256
/* How far ahead a thread has the lines of its ring brought to its processor: its reader had them
 * last. */
#define FETCHED_AHEAD 1024

#ifndef __ASSEMBLER__

#include <asm/unistd.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#endif

#include "cpu.h"

#ifndef __ASSEMBLER__

#define EXPORT __attribute__((visibility("default")))
#define COLD __attribute__((cold, noinline))

#define MOST_PAYLOAD_WORDS 512

/* The captured values of one function, as the C path reads them. */
struct plan {
  u16 stack_bytes;
  u16 string_bytes;
  u8 return_kind;
  u8 op_count;
  u16 payload_words; /* bound of what one entry can capture, 1 to MOST_PAYLOAD_WORDS */
  u8 is_fast;        /* pool.S records an entry by itself */
  u8 reads_memory;   /* an entry is captured from what the program's addresses lead to */
  u64 return_op;
  u64 ops[RECORD_MAX_OPS];
};

/* One per thread, in static TLS. `slot` is null while the thread records nothing, else the slot's
 * address plus the epoch it was claimed in: that of another epoch is a parent process's. */
struct engine_thread {
  u64 slot;
  u32 epoch; /* that the rest belongs to */
  u32 claiming;
  u32 refused; /* calls since the last vain search for a slot */
  u32 rounds;  /* of the exit destructor */
  u32 dead;
  u32 reads;   /* of the event under way, see reads.c; 0: not known */
  u32 turn;    /* in which it came; 0: not known */
  u32 waiting; /* the calls that wait are being changed, see waiting.c */
  u32 began;   /* asked for a stack for signals */
  /* Of the jump recorded last, see jumps.c: what the stack pointer became, and the slot's events
   * then. */
  u64 jumped_to, jumped_at;
};

/* What is true of this process alone: a forked child finds zeros here (MADV_WIPEONFORK). */
struct engine_process {
  u64 epoch; /* another at each start and in each child; 0: this process does not record (yet) */
  u64 frame_epoch; /* the same, as plan words have it */
  u32 begin_lock;
  u32 claim_lock;
  u32 has_failed; /* this child can have no ring */
  u32 has_forgotten;
  u32 pid; /* of a child that libc forked: one by vfork has another, and shares this */
};

extern __thread struct engine_thread engine_thread __attribute__((tls_model("initial-exec")));

/* pool.S */
extern u8 engine_thunks[];
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
extern u32 engine_counted_rows[RECORD_MAX_FUNCTIONS];
/* Cycles without a call after which a hot function may be hot no more. */
extern u64 engine_pause;

/* guard.c: the program forbids itself system calls, so a thread that has no slot yet gets none. */
extern u32 engine_sandboxed;
/* Whether the descriptor was the instrumentation's when the process began; a forked child may have
 * closed it. */
int guard_owns(u32 file);

/* ring.c */
extern struct plan engine_plans[RECORD_MAX_FUNCTIONS];
void ring_emit(u8 *slot, u32 kind, u32 fn, u64 sp, const u64 *words, u32 count);
void ring_emit_at(u8 *slot, u32 kind, u32 fn, u64 time, u64 sp, const u64 *words, u32 count);

/* recording.c */
void recording_arm(u32 fn);
void recording_disarm(u32 fn);
/* A function that starts or stops the recording is on all the time. */
void recording_set_always(u32 fn, int is_always);
void recording_set(int is_on);

/* waiting.c */
/* Keeps an entry back until its call's end. Returns 0 where it cannot wait. */
int waiting_add(u8 *slot, u32 fn, u64 start, u64 sp, const u64 *words, u32 count);
/* The end of a call whose entry waited. Returns whether it is to be recorded; its entry is now. */
int waiting_end(u8 *slot, u32 fn, u64 sp);
/* To be called before another event of the thread is written. */
void waiting_write(u8 *slot);
/* Whether calls wait, and all go on when the stack pointer becomes `sp`. */
int waiting_outlast(u8 *slot, u64 sp);

/* jumps.c */
/* A thread is about to jump, by what its first argument points to. */
void jumps_note(const struct saved *saved);

/* Appends the text at `address`, or which the object there holds as `where` says. Returns the new
 * count. */
u32 ring_text(u64 *words, u32 used, u32 room, u64 address, u32 where, u32 limit);

/* condition.c */
/* Whether a call meets a condition of the contract's form; `sp` is that of its return address. */
int condition_met(const u64 *code, u32 words, const struct registers *r, u64 sp);
/* What code of the same form leaves, and from where it was loaded last. Returns whether it is
 * known. */
int condition_value(const u64 *code, u32 words, const struct registers *r, u64 sp, u64 *number,
                    u64 *address);

/* watch.c */
/* What a function's watches add to its plan word. */
u32 watch_plan(u32 fn);
/* Around a recorded call: behind the record of its entry, before that of its return. */
void watch_enter(u8 *slot, struct frame *frame, const struct registers *r, u64 entry_sp, u64 sp);
void watch_return(u8 *slot, const struct frame *frame);
/* Nothing is watched any more. */
void watch_leave(void);

/* counted.c */
/* Whether a call passes what its function's policy asks of it. Not to be asked twice. */
int counted_wants(u32 fn, const struct registers *r, u64 sp);
/* In cycles: what a call must take to be recorded; 0: it need not wait. */
u64 counted_least(u32 fn);
/* After how many cycles a call that waits is sure to be recorded; 0: that depends on other calls.
 */
u64 counted_promised(u32 fn);
int counted_keeps(u32 fn, u64 took);
/* A call that waited is recorded. */
void counted_took(u32 fn);
/* Counts a call that has ended. */
void counted_whole(u8 *slot, u32 fn, u64 took);
/* Whether a call lies too deep to be recorded; if not, it is one of those that are open. */
int counted_is_too_deep(u8 *slot, u32 fn, u64 sp);
/* Counts a call in place of recording it. */
void counted_pass(u8 *slot, struct frame *frame);
extern u32 engine_counted_used;
void engine_check_hot(void);
/* What a function's policy adds to its plan word. */
u32 counted_plan(u32 fn);
/* The entry of a call of a function that is sampled. Returns whether it is to be recorded. */
int counted_enter(u8 *slot, struct frame *frame);
void counted_end(u8 *slot, const struct frame *frame);
/* Nothing is sampled any more. */
void counted_leave(void);

/* ringFile.c */
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
  u64 left_bytes; /* nothing lies at `base` any more, and it may be used again for so much */
};
extern struct ring_file engine_file;
/* Creates and maps the file that path, slot_count, ring_bytes and most_bytes say; limits of the
 * process on file sizes and memory make it smaller. `parent` 0: not a forked child's. Returns 0 or
 * a negative error. */
long ring_file_make(struct ring_file *file, u32 flags, u32 pid, u32 parent);
/* How large a file of this process may become: what goes beyond is answered by SIGXFSZ, which ends
 * it. */
u64 file_limit(void);
/* The slot's record is the first since its reader went to sleep. */
void ring_file_wake(u8 *slot);
/* Backs a thread's slot and its first ring with memory. Returns whether there was enough. */
int ring_file_allocate(u8 *slot, int is_fresh);
/* Whether there is memory for a row of each slot's table of counted calls. It is taken if there is
 * not, once for COUNTED_COUNT rows; those who need one of them wait for that. */
int ring_file_has_row(u32 row);
/* What the table takes beyond SLOT_BYTES. */
static inline u32 rows_beyond(const struct ring_file *file) {
  return (file->rows - COUNTED_COUNT) * COUNTED_BYTES;
}
/* Backs a part of the file with memory, or gives it back. */
int ring_file_fill(u8 *at, u64 bytes);
void ring_file_empty(u8 *at, u64 bytes);

/* grow.c */
/* A thread begins in the slot, with its first ring; signals are blocked. */
void grow_begin(u8 *slot, int is_fresh);
/* To be called now and then by the thread that writes the slot. */
void grow_check(u8 *slot);
/* How many bytes the slot's thread can write before it writes over what is not stored. */
u64 grow_room(u8 *slot);
/* Nobody writes the slot, and signals are blocked: gives back what its larger rings took, a part at
 * a time. */
void grow_leave(u8 *slot);

/* forked.c */
extern u32 engine_function_count; /* one more than the highest number that was armed */
void forked_start(int (*at_fork)(void (*)(void), void (*)(void), void (*)(void), void *));
void forked_leave(void);
/* A forked child enters a mode in which the cycle counter faults: it records no more. */
void forked_give_up(void);
void engine_forked_child(void);
/* Takes shared memory for a forked child's rings; answers 0 when all children together have enough.
 */
int forked_take(u64 bytes);
/* The same for a larger ring: room for other children's first ones is left. */
int forked_grow(u64 bytes);
u64 forked_room(void);
void forked_give(u64 bytes);
/* sentSignals.c: gives the thread that is about to fork what the instrumentation keeps of each
 * thread that calls the functions it replaced (signal, sigaction, _exit). A child could not have it
 * made: the lock of the instrumentation's memory may be held there for ever, by a thread that the
 * child does not have. */
void signals_before_fork(void);
/* Gives a forked child a ring file of its own; signals are blocked. Returns whether it has one. */
int forked_begin(void);
void forked_count_lost(void);
/* Whether one more forked child may leave a crash file; the first few may. */
int forked_may_crash(void);

/* thread.c */
u8 *thread_claim(void);
/* First thing in a thread. */
void thread_began(void);
int thread_start(int (*key_create)(u32 *, void (*)(void *)),
                 int (*set_specific)(u32, const void *));

/* 2^n bytes of thunk, see pool.S */
#define THUNK_BYTES 32

#endif
#endif
