/* System calls without libc, safe in signal handlers and inside any traced function. */
#ifndef STROBE_RAW_H
#define STROBE_RAW_H

#include "engine.h"

#define raw0(n) raw(n, 0, 0, 0, 0, 0, 0)
#define raw1(n, a) raw(n, (long)(a), 0, 0, 0, 0, 0)
#define raw2(n, a, b) raw(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define raw3(n, a, b, c) raw(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define raw4(n, a, b, c, d) raw(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define raw6(n, a, b, c, d, e, f) \
  raw(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#define ERR_PERM 1
#define ERR_INTR 4
#define ERR_NO_MEMORY 12
#define ERR_EXIST 17
#define ERR_INVALID 22
#define ERR_SEARCH 3
#define ERR_FAULT 14
#define ERR_TOO_BIG 27
#define ERR_NO_CALL 38

/* Words that one thread writes while others read them, each for itself: old or new, never a
 * mixture. */
#define RELAXED(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define SET_RELAXED(word, value) __atomic_store_n(&(word), value, __ATOMIC_RELAXED)

extern u32 engine_pid;

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

static inline void take_lock(u32 *word) {
  while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE)) raw0(__NR_sched_yield);
}

static inline void give_lock(u32 *word) { __atomic_store_n(word, 0, __ATOMIC_RELEASE); }

/* As read_safely, where the kernel was built without process_vm_readv (reads.c). */
u64 read_by_file(void *to, u64 from, u64 length);

struct memory_range {
  const void *base;
  u64 length;
};

/* Copies from any address of this process without a fault. Returns how many bytes of the first
 * range, then of the second, could be read; 0 when nothing could. */
static inline u64 read_safely(void *to, u64 from, u64 length) {
  if (engine_sandboxed)
    return 0; /* the call may be forbidden, and its answer the end of the program */
  struct memory_range local = {to, length};
  u64 first = 4096 - (from & 4095);
  struct memory_range remote[2] = {{(const void *)from, length < first ? length : first},
                                   {(const void *)(from + first), length - first}};
  long count =
      raw6(__NR_process_vm_readv, engine_pid, &local, 1, remote, length <= first ? 1 : 2, 0);
  if (count == -ERR_NO_CALL) return read_by_file(to, from, length);
  return count < 0 ? 0 : (u64)count;
}

/* As copy_bytes, of few, for which a string instruction takes longer. */
static inline void copy_words(u64 *to, const u8 *from, u64 length) {
  u64 at = 0;
  for (; at + 8 <= length; at += 8) to[at / 8] = *(const u64 *)(from + at);
  for (; at < length; at++) ((u8 *)to)[at] = from[at];
}

#endif
