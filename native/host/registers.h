#pragma once
#include <stdint.h>
#include <sys/user.h>

/* The general registers of a thread. */
#if defined(__x86_64__)
typedef struct user_regs_struct registers;
static inline uint64_t counter(const registers *at) { return at->rip; }
static inline void set_counter(registers *at, uint64_t to) { at->rip = to; }
static inline uint64_t first_argument(const registers *at) { return at->rdi; }
#elif defined(__aarch64__)
typedef struct user_regs_struct registers;
static inline uint64_t counter(const registers *at) { return at->pc; }
static inline void set_counter(registers *at, uint64_t to) { at->pc = to; }
static inline uint64_t first_argument(const registers *at) { return at->regs[0]; }
#endif
