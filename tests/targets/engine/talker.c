/* Shows every way output takes: stdio, write, writev, a thread of its own, another descriptor, a
 * fork. Does what each line of its input says, and answers on its control descriptor, 3. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void *talk(void *word) {
  for (int i = 0; i < 200; i++) dprintf(1, "%s %d\n", (const char *)word, i);
  return NULL;
}

static void crowd(void) {
  static const char *words[4] = {"north", "east", "south", "west"};
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, talk, (void *)words[i]);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

static void vectors(void) {
  struct iovec parts[3] = {{"in ", 3}, {"three ", 6}, {"parts\n", 6}};
  if (writev(1, parts, 3) != 15) abort();
}

static void flood(void) {
  static char line[4096];
  memset(line, 'f', sizeof line);
  line[sizeof line - 1] = '\n';
  for (int i = 0; i < 4096; i++)
    if (write(2, line, sizeof line) != sizeof line) abort();
}

int main(void) {
  char line[64];
  setvbuf(stdin, NULL, _IONBF, 0);
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    if (!strcmp(line, "print\n")) printf("printed %d\n", 1), fflush(stdout);
    if (!strcmp(line, "error\n")) fputs("an error\n", stderr);
    if (!strcmp(line, "vectors\n")) vectors();
    if (!strcmp(line, "crowd\n")) crowd();
    if (!strcmp(line, "flood\n")) flood();
    if (!strcmp(line, "elsewhere\n")) {
      int other = open("/dev/null", O_WRONLY);
      dprintf(other, "not output\n");
      close(other);
    }
    if (!strcmp(line, "fork\n")) {
      if (fork() == 0) dprintf(1, "from the child\n"), _exit(9);
      wait(NULL);
    }
    if (!strcmp(line, "replace\n")) execl("/proc/self/exe", "talker", NULL);
    if (!strcmp(line, "leave\n")) return 42;
    dprintf(1, "done\n");
  }
  return 0;
}
