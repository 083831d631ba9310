/* What the parts of the engine share. The library imports nothing: no libc, no unwinder; what it
 * needs of them (pthread keys, _Unwind_GetCFA) is handed in at the start.
 *
 *   hooked function: jmp ─▶ island: jmp ─▶ thunk i ─▶ engine_enter ─▶ call island's displaced code
 *
 * The frame that is inserted, seen from sp, the address of the return address at the entry:
 *
 *   sp        return address of the hooked function, never touched
 *   sp - 8    function u32 · plan word u32
 *   sp - 16   target: the displaced original
 *   sp - 24   rbp, when stack arguments are copied
 *   sp - 48   unused (three words): see FRAME_BYTES
 *   sp - 56   when it began, of a call that is only counted
 */
#ifndef STROBE_ENGINE_H
#define STROBE_ENGINE_H

#include "record.h"

#define ENGINE_VERSION 1

/* Plan word: function number (20 bits) · more than one word << 20 · epoch << 21 · the bits below. */
#define PLAN_EPOCH_SHIFT 21
#define PLAN_EPOCH_MASK 0x03e00000
#define PLAN_FLOAT_RETURN 0x04000000
#define PLAN_STRING_RETURN 0x08000000
#define PLAN_STACK 0x10000000
/* Of a function: its calls are sampled. In a frame, with the next: its end is to be counted. */
#define PLAN_COUNTED 0x20000000
/* Set in a frame whose entry was not recorded, so that its end is not either. */
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

/* With the return address 64: vectors among copied stack arguments stay aligned as they were. */
#define FRAME_BYTES 56
/* Positions in a ring at which hot functions are looked for: events of two records meet one, too. */
#define HOT_CHECK_MASK (HOT_CHECK_BYTES - 64)
#define STACK_COPY_MAX 256

#ifndef __ASSEMBLER__

#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define EXPORT __attribute__((visibility("default")))
#define COLD __attribute__((cold, noinline))

/* The captured values of one function, as the C path reads them. */
struct plan {
  u16 stack_bytes;
  u16 string_bytes;
  u8 return_kind;
  u8 op_count;
  u16 payload_words; /* bound of what one entry can capture */
  u8 is_fast;        /* pool.S records an entry by itself */
  u64 return_op;
  u64 ops[RECORD_MAX_OPS];
};

/* What pool.S saves for the C path; the order is its push order. */
struct registers {
  u64 xmm[8];
  u64 integer[6]; /* rdi rsi rdx rcx r8 r9 */
  u64 r11, r10, rax, padding;
};

struct frame {
  u64 start;
  u64 unused[3];
  u64 rbp;
  u64 target;
  u32 fn;
  u32 plan;
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
};

/* What is true of this process alone: a forked child finds zeros here (MADV_WIPEONFORK). */
struct engine_process {
  u64 epoch;       /* another at each start and in each child; 0: this process does not record (yet) */
  u64 frame_epoch; /* the same, as plan words have it */
  u32 begin_lock;
  u32 claim_lock;
  u32 has_failed; /* this child can have no ring */
  u32 has_forgotten;
};

extern __thread struct engine_thread engine_thread __attribute__((tls_model("initial-exec")));

/* pool.S */
extern u8 engine_thunks[];
extern u8 engine_return[], engine_return_stack[];
/* Whether each hook is on; shared with forked children. */
extern u8 engine_flags[RECORD_MAX_FUNCTIONS];
extern struct engine_process engine_process;
extern u64 engine_targets[RECORD_MAX_FUNCTIONS];
extern u32 engine_plan_words[RECORD_MAX_FUNCTIONS];
extern u32 engine_mask;
/* Where a function's row of counted calls lies in each slot; 0: it has none. */
extern u32 engine_counted_rows[RECORD_MAX_FUNCTIONS];
/* Cycles without a call after which a hot function may be hot no more. */
extern u64 engine_pause;

/* guard.c: the program forbids itself system calls, so a thread that has no slot yet gets none. */
extern u32 engine_sandboxed;

/* ring.c */
extern struct plan engine_plans[RECORD_MAX_FUNCTIONS];
void ring_emit(u8 *slot, u32 kind, u32 fn, u64 sp, const u64 *words, u32 count);

/* condition.c */
struct registers;
/* Whether a call meets a condition of the contract's form; `sp` is that of its return address. */
int condition_met(const u64 *code, u32 words, const struct registers *r, u64 sp);

/* counted.c */
/* Whether a call passes what its function's policy asks of it. Not to be asked twice. */
int counted_wants(u32 fn, const struct registers *r, u64 sp);
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
  u32 ring_bytes;
  u64 stride;
  char path[PATH_BYTES];
  u64 device, inode;
  u32 is_forked;
  u64 left_bytes; /* nothing lies at `base` any more, and it may be used again for so much */
};
extern struct ring_file engine_file;
/* Creates and maps the file that path, slot_count and ring_bytes say; a limit of the process on
 * file sizes makes it smaller. `parent` 0: not a forked child's. Returns 0 or a negative error. */
long ring_file_make(struct ring_file *file, u32 flags, u32 pid, u32 parent);
/* How large a file of this process may become: what goes beyond is answered by SIGXFSZ, which ends it. */
u64 file_limit(void);
/* The slot's record is the first since its reader went to sleep. */
void ring_file_wake(u8 *slot);
/* Backs a thread's slot with memory. Returns whether there was enough. */
int ring_file_allocate(u8 *slot, int is_fresh);

/* forked.c */
extern u32 engine_function_count; /* one more than the highest number that was armed */
void forked_start(int (*at_fork)(void (*)(void), void (*)(void), void (*)(void), void *));
void forked_leave(void);
/* A forked child enters a mode in which the cycle counter faults: it records no more. */
void forked_give_up(void);
void engine_forked_child(void);
/* Takes shared memory for a forked child's rings; answers 0 when all children together have enough. */
int forked_take(u64 bytes);
/* Gives a forked child a ring file of its own; signals are blocked. Returns whether it has one. */
int forked_begin(void);
void forked_count_lost(void);
/* Whether one more forked child may leave a crash file; the first few may. */
int forked_may_crash(void);

/* thread.c */
u8 *thread_claim(void);
/* Whether a thread is one of the instrumentation's own. */
int thread_is_ignored(u32 tid);
int thread_start(int (*key_create)(u32 *, void (*)(void *)), int (*set_specific)(u32, const void *));

/* 2^n bytes of thunk, see pool.S */
#define THUNK_BYTES 32

#endif
#endif
