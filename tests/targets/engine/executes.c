/* The engine as a part of a program that executes itself again and again, while a thread of it stops the others as
 * when code is written. usage: executes TIMES. Its last life prints "done" when nothing that stopped an earlier one runs
 * on: that would be its child. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../native/engine/process.h"
#include "../../../native/engine/stop.h"

static volatile int stops;

static void nothing(void *argument) { (void)argument; }
static u64 stay(u64 pc) { return pc; }

static void *stop_them(void *argument) {
  struct stop_work work = {nothing, 0, stay};
  (void)argument;
  for (;; stops++) stop_threads(&work);
  return 0;
}

int main(int count, char **words) {
  int times = count > 1 ? atoi(words[1]) : 0;
  char left[16];
  pthread_t stopper;
  while (!times && waitpid(-1, 0, __WALL) > 0) continue;
  engine_pid = (u32)getpid();
  if (!times) return puts("done") < 0;
  pthread_create(&stopper, 0, stop_them, 0);
  while (!stops) continue;
  for (volatile int spin = 0; spin < times % 100 * 1000; spin++) continue;
  snprintf(left, sizeof left, "%d", times - 1);
  execl("/proc/self/exe", words[0], left, (char *)0);
  return 2;
}
