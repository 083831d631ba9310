/* What a processor must provide; there is one folder for each. Beside the declarations here, that
 * are
 *
 *   relocate.h, code.h, context.h, copies.h, pool.h
 *   pool.S, exceptionHooks.S   the thunks, and the code they share; the entries of the
 *                              unwinder's functions
 *   statement.c, probeEntry.S  patches in the middle of a function
 *
 * Of the layouts: FRAME_BYTES from a frame to the stack pointer at the entry of its call (x86-64:
 * to its return address), from where stack arguments begin STACK_ARGUMENTS bytes on;
 * INTEGER_REGISTERS hold arguments, RETURNED_VECTORS parts of a result. JUMP_BYTES of a function
 * are replaced by a jump to an island, at most ISLAND_REACH away, of a head, that leads to the
 * thunk, and the displaced code. CONTEXT_PC: word of ucontext_t; GCC_CONTEXT_CFA: byte of struct
 * _Unwind_Context; GUM_FIRST_ARGUMENT: word of Gum's CPU context. */
#ifndef STROBE_CPU_H
#define STROBE_CPU_H

#include "types.h"

#ifndef __ASSEMBLER__

/* What is saved of a call's registers, and the frame that is inserted. */
struct registers;
struct frame;
/* Where the caller wants a result that is in no register. */
static inline u64 callers_result(const struct frame *frame);
/* What the entry of a function of the unwinder saved: its first argument, the stack pointer at its
 * call, and what the exception file has of it. */
struct saved;
static inline u64 saved_first(const struct saved *saved);
static inline u64 saved_stack(const struct saved *saved);
static inline void saved_registers(const struct saved *saved, u64 pc, u64 *registers);
/* What the stack pointer becomes, from that word (JUMP_STACK_WORD) of what glibc's setjmp wrote; 0:
 * not known. */
static inline u64 longjmp_target(u64 word);

/* A system call; those that are spelt differently: raw_open, raw_unlink, raw_readlink. */
static inline long raw(long number, long a, long b, long c, long d, long e, long f);
/* The cycle counter, and the same at one to three billions a second. */
static inline u64 timestamp(void);
static inline u64 turns(u64 time);
static inline void copy_bytes(void *to, const void *from, u64 length);
static inline void clear_bytes(void *to, u64 length);
/* For words that this thread and its signal handlers alone write. Returns what was there. */
static inline u64 add_locally(u64 *word, u64 by);
static inline void count_locally(u64 *word);
static inline void fetch_for_writing(u8 *at);
static inline u64 thread_pointer(void);
/* Of one that reads.c began. */
static inline void transaction_ends(void);
/* That of the function that has just returned, where its registers still are as it left them. */
static inline void long_double_result(u8 *real);
/* The lower halves of the vector registers that struct registers has, as the program left them. */
static inline void vectors_now(u64 vector[8]);
/* Other code is there now, and no thread runs it yet. */
static inline void code_was_written(u64 start, u64 end);

#endif

#if defined(__x86_64__)
#include "x64/cpu.h"
#else
#error "no engine for this processor"
#endif

#endif
