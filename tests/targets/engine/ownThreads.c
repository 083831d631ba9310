/* A thread of ours ends, and its number is given to another. Prints whether each is taken for ours. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../../native/engine/ownThreads.c"

#define MOST_TRIES 10000

static pthread_barrier_t listed;
static u32 number;
static int is_taken;

static void *ours(void *unused) {
  number = (u32)gettid();
  pthread_barrier_wait(&listed);
  pthread_barrier_wait(&listed);
  is_taken = thread_is_ignored(number);
  return unused;
}

static void *another(void *unused) {
  if ((u32)gettid() == number) is_taken = thread_is_ignored(number);
  return (u32)gettid() == number ? &number : unused;
}

/* The next thread or process of the machine gets the number, if it is free. */
static int wish(void) {
  int file = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
  int written = dprintf(file, "%u", number - 1);
  close(file);
  return written > 0;
}

int main(void) {
  pthread_t thread;
  void *found = NULL;
  pthread_barrier_init(&listed, NULL, 2);
  pthread_create(&thread, NULL, ours, NULL);
  pthread_barrier_wait(&listed);
  own_threads_set(&number, 1);
  pthread_barrier_wait(&listed);
  pthread_join(thread, NULL);
  printf("ours %d\n", is_taken);
  /* Beginnings are told apart by the hundredth of a second. */
  usleep(50000);
  for (int i = 0; i < MOST_TRIES && !found; i++) {
    if (!wish()) return 1;
    pthread_create(&thread, NULL, another, NULL);
    pthread_join(thread, &found);
  }
  if (!found) return 2;
  printf("another %d\n", is_taken);
  return 0;
}
