/* The supervisor at work. All it knows lies in memory shared with the standby. */
#ifndef STROBE_SERVE_H
#define STROBE_SERVE_H

#include "clock.h"
#include "follow.h"
#include "link.h"
#include "log.h"
#include "spec.h"
#include "streams.h"
#include "target.h"
#include "wire.h"
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct input {
  uint8_t bytes[WIRE_MAX_INPUT_BYTES];
  uint32_t count, done, request, generation;
  bool end; /* close when all is written */
  bool writing;
};

struct supervisor {
  struct spec spec;
  struct target target;
  struct log log;
  struct link link;
  struct input input;
  struct reading reading;
  char socket_path[PATH_MAX + 16];
  uint32_t state;
  int status;
  bool quit;
  pid_t standing;                /* stopped for a debugger, which the daemon brings; 0 = none */
  pid_t told_exit;               /* the last process whose end is in the log */
  uint64_t told_size, told_ns;   /* what the daemon knows of the log */
  uint64_t release_ns, leave_ns; /* deadlines; 0 = none */
  uint64_t retry_ns;
};

void fact(struct supervisor *supervisor, uint8_t type, uint32_t first, uint32_t second,
          uint32_t count); /* `count` bytes of the two, into the log */
struct clock_pair log_clock(struct supervisor *supervisor);
void write_input(struct supervisor *supervisor); /* as much as the pipe takes */
struct follower follower_of(struct supervisor *supervisor);
void serve(struct supervisor
               *supervisor); /* until the tree has ended and nobody needs its status any more */

#endif
