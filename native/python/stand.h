/* How a thread stands still: it says where, and does what the daemon asks of it until that lets it
 * go. Needs the interpreter lock, which it gives up while it waits. */
#ifndef STROBE_PYTHON_STAND_H
#define STROBE_PYTHON_STAND_H

#include "moment.h"

enum { MOST_STEP_PATH = 4096, MOST_STOPPING_KEYS = 1024 };

/* Where it stands. */
struct standing {
  void *thread;             /* whose */
  const struct frame *from; /* the newest frame that is shown; null: that of the thread now */
  u32 line;                 /* of that; 0: where it is */
  object *traceback;        /* in place of frames, which are gone; or null */
  u32 tid;                  /* of a thread that waits in native code, which another speaks for; 0:
                               it speaks for itself */
};

/* Why it stands. */
struct reason {
  const char *keys; /* of breakpoints; empty: a step ended */
  u32 is_paused;
  const char *returned;        /* the bytes of what a step out came out with, or empty */
  object *raised_type, *value; /* an exception, or null */
};

/* How it continues. */
struct order {
  u32 is_step, step, line;
  char path[MOST_STEP_PATH];
};

/* Returns when it continues; whether it stood. */
int stand(const struct standing *at, const struct reason *why, struct order *order);
/* A thread stands: nothing stops it, as it may run code for the daemon. */
int stand_is_standing(const void *thread);

#endif
