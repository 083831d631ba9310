/* Starts COUNT times PROGRAM at once, with 8 KB of arguments each, when FILE appears. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int work(int x) {
  volatile int y = x * 3;
  return y + 1;
}

int main(int count, char **words) {
  static char texts[16][480];
  char *arguments[18] = {words[3]};
  int status, right = 0;
  if (count != 4) return 2;
  for (int i = 0; i < 16; i++) {
    memset(texts[i], 'a' + i, 479);
    arguments[i + 1] = texts[i];
  }
  printf("ready\n");
  fflush(stdout);
  while (access(words[2], F_OK) != 0) usleep(1000);
  for (int i = 0; i < atoi(words[1]); i++) {
    if (fork() > 0) continue;
    execv(words[3], arguments);
    _exit(99);
  }
  while (wait(&status) > 0) right += status == 0;
  printf("right %d\n", right);
  return work(1) + 1;
}
