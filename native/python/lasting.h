/* A limit for code that the daemon has a thread run: it is ended by an exception. */
#ifndef STROBE_PYTHON_LASTING_H
#define STROBE_PYTHON_LASTING_H

#include <pthread.h>

struct lasting {
  pthread_t watcher;
  int has_watcher;
};

/* The thread that runs begins with it. */
void lasting_begin(struct lasting *lasting);
/* It has ended. */
void lasting_end(struct lasting *lasting);

#endif
