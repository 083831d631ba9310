/* Executes itself with an alarm set, and says whether the new program has it. */
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

__attribute__((noinline)) int leafWork(int number) {
  volatile int sum = number;
  return sum + 1;
}

int main(int count, char **words) {
  struct itimerval alarm = {{0, 0}, {600, 0}};
  if (count > 1) {
    setitimer(ITIMER_REAL, &alarm, NULL);
    execl(words[0], words[0], (char *)NULL);
    return 9;
  }
  getitimer(ITIMER_REAL, &alarm);
  puts(alarm.it_value.tv_sec > 0 ? "armed" : "not armed");
  return leafWork(2);
}
