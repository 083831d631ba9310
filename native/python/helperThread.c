/* See helperThread.h. */
#include "helperThread.h"

#include <pthread.h>
#include <signal.h>

int helper_thread_start(void *(*work)(void *), void *given) {
  sigset_t all, before;
  pthread_attr_t attributes;
  pthread_t thread;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = pthread_create(&thread, &attributes, work, given);
  pthread_sigmask(SIG_SETMASK, &before, 0);
  pthread_attr_destroy(&attributes);
  return !failed;
}
