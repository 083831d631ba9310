/* System calls without libc, safe in signal handlers and inside any traced function. */
#ifndef STROBE_RAW_H
#define STROBE_RAW_H

#include "engine.h"

#include <asm/unistd.h>

static inline long raw(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

#define raw0(n) raw(n, 0, 0, 0, 0, 0, 0)
#define raw1(n, a) raw(n, (long)(a), 0, 0, 0, 0, 0)
#define raw2(n, a, b) raw(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define raw3(n, a, b, c) raw(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define raw4(n, a, b, c, d) raw(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define raw6(n, a, b, c, d, e, f) \
  raw(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#define ERR_INTR 4
#define ERR_EXIST 17
#define ERR_INVALID 22
#define ERR_SEARCH 3
#define ERR_FAULT 14
#define ERR_TOO_BIG 27

static inline u64 timestamp(void) {
  u32 low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return (u64)high << 32 | low;
}

extern u32 engine_pid;

/* This thread's slot, or null: it has none, or one that belongs to a parent process. */
static inline u8 *thread_slot(void) {
  u64 slot = engine_thread.slot;
  if (!slot || (slot ^ engine_process.epoch) & SLOT_EPOCH_MASK) return 0;
  return (u8 *)(slot & ~(u64)SLOT_EPOCH_MASK);
}

/* Whether we were brought into this process, and record; not so in a forked child. */
static inline int is_first_process(void) {
  return engine_process.epoch && !engine_file.is_forked;
}

static inline void take_lock(u32 *word) {
  while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE)) raw0(__NR_sched_yield);
}

static inline void give_lock(u32 *word) {
  __atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

struct memory_range {
  const void *base;
  u64 length;
};

/* Copies from any address of this process without a fault. Returns how many bytes of the first
 * range, then of the second, could be read; 0 when nothing could. */
static inline u64 read_safely(void *to, u64 from, u64 length) {
  if (engine_sandboxed) return 0; /* the call may be forbidden, and its answer the end of the program */
  struct memory_range local = {to, length};
  u64 first = 4096 - (from & 4095);
  struct memory_range remote[2] = {{(const void *)from, length < first ? length : first},
                                   {(const void *)(from + first), length - first}};
  long count = raw6(__NR_process_vm_readv, engine_pid, &local, 1, remote,
                    length <= first ? 1 : 2, 0);
  return count < 0 ? 0 : (u64)count;
}

static inline void copy_bytes(void *to, const void *from, u64 length) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(length) : : "memory");
}

static inline void clear_bytes(void *to, u64 length) {
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(length) : "a"(0) : "memory");
}

#endif
