/* Threads end just before the process does what the kernel does only for one with one thread.
 * Prints how often that failed, and what it answers while another thread stays. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../../native/engine/oneThread.c"

#define ROUNDS 3000
#define ALONE 0x100 /* CLONE_VM: changes nothing */

void tasks_each(void (*visit)(u32, void *), void *argument) {
  DIR *folder = opendir("/proc/self/task");
  for (struct dirent *entry; (entry = readdir(folder));)
    if (entry->d_name[0] != '.') visit((u32)atoi(entry->d_name), argument);
  closedir(folder);
}

/* As if the other thread was the program's own. */
static u32 stays(void) { return 0; }

static void *ends(void *unused) { return unused; }

static void *waits(void *unused) {
  pause();
  return unused;
}

int main(void) {
  pthread_t thread;
  int failed = 0;
  for (int i = 0; i < ROUNDS; i++) {
    pthread_create(&thread, NULL, ends, NULL);
    /* Wakes once the kernel has cleared the thread's number, which it still lists and counts. */
    pthread_join(thread, NULL);
    failed += one_thread_call(__NR_unshare, ALONE, 0, stays, &errno) != 0;
  }
  printf("failed %d\n", failed);
  pthread_create(&thread, NULL, waits, NULL);
  long answer = one_thread_call(__NR_unshare, ALONE, 0, stays, &errno);
  printf("beside another %ld, EINVAL %d\n", answer, errno == EINVAL);
  return 0;
}
