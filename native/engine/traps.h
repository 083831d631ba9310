/* The int3s that the stopper (native/stopper) has in the program. It reads the traps itself; the
 * table is for when it was killed: the program takes out what it meets, and runs on. */
#ifndef STROBE_TRAPS_H
#define STROBE_TRAPS_H

#include "types.h"

#define TRAPS_MOST 512
/* "STRBTRAP", by which the stopper finds the table, at the beginning of a page. */
#define TRAPS_MARK 0x5041525442525453ul

/* The code of a signal of a debug register (TRAP_PERF), and what our data begins with: "STRB". */
#define TRAP_OF_DATA 6
#define TRAP_DATA_MARK 0x53545242ul

struct trap {
  u64 address; /* 0: none */
  u64 original;
};

/* Written by the stopper, an entry before its int3. */
struct trap_table {
  u64 mark;
  u64 is_used;       /* a stopper has been here */
  u64 expects_until; /* of CLOCK_MONOTONIC in ns: a stopper will come; who meets an int3 waits */
  struct trap traps[TRAPS_MOST];
};

/* Whether an int3 of the stopper stands there, and what it replaced. */
int traps_planted(u64 address, u8 *original);
/* A SIGTRAP has come to the program; `context`: ucontext_t. Returns whether it was a stopper's:
 * the thread then goes on as if no one had ever stopped it. */
int traps_take(const void *information, u64 *context);
/* In a process that was forked, and has its own number now. */
void traps_forked(void);
/* The handler of signals goes. What a stopper that is not there any more left is taken out. */
void traps_leave(void);

#endif
