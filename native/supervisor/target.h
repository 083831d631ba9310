/* The process that was started, as the supervisor holds it. */
#ifndef STROBE_TARGET_H
#define STROBE_TARGET_H

#include "park.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct target {
  uint32_t stage; /* STAGE_NONE when it was started */
  int error;
  pid_t pid;
  uint64_t started_ns;
  int in, out,
      err;        /* supervisor's ends of the pipes, or -1; of a terminal both lead to its master */
  int terminal;   /* the pseudo-terminal's other end, or -1 */
  int listener;   /* of the tree's execs, or -1 */
  int unfollowed; /* errno: why there is no listener although it was asked for */
  bool no_new_privs, waits_killable; /* waits_killable: no signal ends an exec's wait for us */
  struct parking place;              /* where it is parked at its first instruction */
};

#endif
