/*
 * A process that is parked at its first instruction: it runs a loop of ours that waits in pause(2).
 * So it is held without a stop, which would notify its parent. The loop is where no program
 * has code, behind the end of that which it begins in; all that is needed to let it go is on its
 * own stack. Nothing of the program is changed but its registers, by one system call each way:
 * those who park a process, and those who enter it, may be killed at any moment, and the next one
 * finds it as it is.
 *
 *   stack pointer - PARKED_BELOW   struct parked_block
 *   its `code`                     runs the block's system calls in turn, then pauses
 */
#ifndef STROBE_PARKED_H
#define STROBE_PARKED_H

#include <stdint.h>
#include <sys/time.h>
#include <sys/user.h>

enum {
  PARKED_BELOW = 8192,
  PARKED_CODE_BYTES = 48,
  PARKED_WAITS_AT = 39, /* offset in the code of the instruction behind pause */
  PARKED_NUMBERS = 29,
  PARKED_CALLS = PARKED_NUMBERS + 2,
};
#define PARKED_MAGIC UINT64_C(0x64656b7261507453)

struct parked_call {
  uint64_t number, arguments[3]; /* number UINT64_MAX: the end */
};

struct parked_block {
  uint64_t magic, code;
  struct user_regs_struct registers; /* as the program begins with */
  struct itimerval no_timer, timer;  /* timer: what was left of ITIMER_REAL, which stands still */
  uint64_t taken;
  uint64_t
      numbers[PARKED_NUMBERS]; /* descriptors taken so that those of a host come to lie above */
  struct parked_call calls[PARKED_CALLS + 1];
  uint8_t before[PARKED_CODE_BYTES]; /* what was where the code is */
};

#endif
