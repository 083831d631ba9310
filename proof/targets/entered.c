/*
 * entered FILE: once FILE.go exists it starts itself twice, one after the other, and appends to FILE how each ended and
 * then "end"; ends with 5. Its children work for a while and end with 3. With "-" as FILE it works until a line comes,
 * and ends with 3 when all that it computed was right.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pause_ms(long ms) {
  struct timespec left = {0, ms * 1000000};
  while (nanosleep(&left, &left) < 0) {
  }
}

__attribute__((noinline)) unsigned long worked(unsigned long turn) {
  unsigned long sum = turn;
  for (unsigned long i = 0; i < 20000; i++) sum = sum * 31 + i;
  return sum;
}

static int child(void) {
  unsigned long first = worked(1);
  for (int turn = 0; turn < 40; turn++) {
    if (worked(1) != first) return 9;
    pause_ms(1);
  }
  return 3;
}

static int computes(void) {
  struct pollfd input = {0, POLLIN, 0};
  unsigned long first = worked(1);
  char line;
  while (poll(&input, 1, 1) == 0)
    if (worked(1) != first) return 9;
  return read(0, &line, 1) == 1 ? 3 : 4;
}

static void say(const char *path, const char *what, int number) {
  FILE *file = fopen(path, "a");
  if (!file) return;
  fprintf(file, "%s %d\n", what, number);
  fclose(file);
}

int main(int count, char **words) {
  char go[4096];
  struct stat found;
  if (count < 2) return child();
  if (strcmp(words[1], "-") == 0) return computes();
  snprintf(go, sizeof go, "%s.go", words[1]);
  while (stat(go, &found) < 0) pause_ms(1);
  for (int i = 0; i < 2; i++) {
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
      execl(words[0], words[0], (char *)NULL);
      _exit(127);
    }
    if (waitpid(pid, &status, 0) != pid) say(words[1], "not waited for", pid);
    else if (WIFSIGNALED(status)) say(words[1], "signal", WTERMSIG(status));
    else say(words[1], "exited", WEXITSTATUS(status));
  }
  say(words[1], "end", 0);
  return 5;
}
