// Runs `burst <count> <program>…` <count> times, eight at a time, and ends with how many ended with code 0.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words)
{
  int left = atoi(words[1]), running = 0, good = 0;
  if (count < 3) return 99;
  while (left > 0 || running > 0) {
    while (left > 0 && running < 8) {
      if (fork() == 0) execv(words[2], words + 2), _exit(127);
      left--, running++;
    }
    int status;
    if (wait(&status) > 0) running--, good += status == 0;
  }
  printf("%d\n", good);
  return 0;
}
