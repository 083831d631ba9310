/* System calls without libc, safe in signal handlers and inside any traced function. */
#ifndef STROBE_RAW_H
#define STROBE_RAW_H

#include "cpu.h"

#ifdef RAW_ASKS
/* As raw, unless the program forbids the call: then -ERR_PERM, without it. Of what native/outside
 * puts into a program. */
long raw_asks(long number, long a, long b, long c, long d, long e, long f)
    __attribute__((visibility("hidden")));
#define raw(...) raw_asks(__VA_ARGS__)
#endif

#define raw0(n) raw(n, 0, 0, 0, 0, 0, 0)
#define raw1(n, a) raw(n, (long)(a), 0, 0, 0, 0, 0)
#define raw2(n, a, b) raw(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define raw3(n, a, b, c) raw(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define raw4(n, a, b, c, d) raw(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define raw6(n, a, b, c, d, e, f) \
  raw(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#define SIG_SETMASK 2

#define ERR_PERM 1
#define ERR_INTR 4
#define ERR_NO_MEMORY 12
#define ERR_EXIST 17
#define ERR_INVALID 22
#define ERR_SEARCH 3
#define ERR_FAULT 14
#define ERR_TOO_BIG 27
#define ERR_NO_CALL 38
#define ERR_USERS 87

/* For raw_open, whose OPEN_FOLDER and OPEN_NO_LINK are the processor's; all close on exec. */
#define OPEN_READ 02000000
#define OPEN_WRITE (OPEN_READ | 1)
#define OPEN_READ_WRITE (OPEN_READ | 2)
#define OPEN_CREATE 0100
#define OPEN_ONLY_NEW 0200
#define OPEN_EMPTY 01000
#define OPEN_APPEND 02000

/* Words that one thread writes while others read them, each for itself: old or new, never a
 * mixture. */
#define RELAXED(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define SET_RELAXED(word, value) __atomic_store_n(&(word), value, __ATOMIC_RELAXED)

static inline void take_lock(u32 *word) {
  while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE)) raw0(__NR_sched_yield);
}

static inline void give_lock(u32 *word) { __atomic_store_n(word, 0, __ATOMIC_RELEASE); }

struct memory_range {
  const void *base;
  u64 length;
};

/* As copy_bytes, of few, for which a string instruction takes longer. */
static inline void copy_words(u64 *to, const u8 *from, u64 length) {
  u64 at = 0;
  for (; at + 8 <= length; at += 8) to[at / 8] = *(const u64 *)(from + at);
  for (; at < length; at++) ((u8 *)to)[at] = from[at];
}

#endif
