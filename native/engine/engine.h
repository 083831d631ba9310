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
 */
#ifndef STROBE_ENGINE_H
#define STROBE_ENGINE_H

#include "record.h"

#define ENGINE_VERSION 1

/* Plan word: function number (20 bits) · continuations << 20 · the bits below. */
#define PLAN_FLOAT_RETURN 0x04000000
#define PLAN_STRING_RETURN 0x08000000
#define PLAN_STACK 0x10000000
/* Set in a frame whose entry was not recorded, so that its end is not either. */
#define PLAN_UNRECORDED 0x40000000
/* The entry needs the C path. */
#define PLAN_GENERAL 0x80000000
#define PLAN_TAG_MASK 0x03ffffff
#define PLAN_FUNCTION_MASK 0x000fffff

#define FRAME_BYTES 24
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
  u32 ops[RECORD_MAX_OPS];
};

/* What pool.S saves for the C path; the order is its push order. */
struct registers {
  u64 xmm[8];
  u64 integer[6]; /* rdi rsi rdx rcx r8 r9 */
  u64 r11, r10, rax, padding;
};

struct frame {
  u64 rbp;
  u64 target;
  u32 fn;
  u32 plan;
};

/* One per thread, in static TLS. `slot` is null while the thread records nothing. */
struct engine_thread {
  u8 *slot;
  u32 claiming;
  u32 refused; /* calls since the last vain search for a slot */
  u32 rounds;  /* of the exit destructor */
  u32 dead;
};

extern __thread struct engine_thread engine_thread __attribute__((tls_model("initial-exec")));

/* pool.S */
extern u8 engine_thunks[];
extern u8 engine_return[], engine_return_stack[];
/* Both are zero in a forked child (MADV_WIPEONFORK): it records nothing. */
extern u8 engine_flags[RECORD_MAX_FUNCTIONS];
extern u32 engine_live;
extern u64 engine_targets[RECORD_MAX_FUNCTIONS];
extern u32 engine_plan_words[RECORD_MAX_FUNCTIONS];
extern u32 engine_mask;

/* ring.c */
extern struct plan engine_plans[RECORD_MAX_FUNCTIONS];
void ring_emit(u8 *slot, u32 kind, u32 fn, u64 sp, const u64 *words, u32 count);

/* thread.c */
struct ring_file {
  u8 *base;
  u32 slot_count;
  u32 ring_bytes;
  u64 stride;
  char path[512];
  u64 device, inode;
};
extern struct ring_file engine_file;
u8 *thread_claim(void);
void thread_count_lost(void);
int thread_start(int (*key_create)(u32 *, void (*)(void *)), int (*set_specific)(u32, const void *));

/* 2^n bytes of thunk, see pool.S */
#define THUNK_BYTES 32

#endif
#endif
