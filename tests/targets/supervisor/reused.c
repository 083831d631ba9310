/* Waits late for a child, then has another process, which the caller's parent waits for, under that number. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int number_next(pid_t pid) {
  char text[16];
  int length = snprintf(text, sizeof text, "%d", pid - 1);
  int file = open("/proc/sys/kernel/ns_last_pid", O_WRONLY);
  return file >= 0 && write(file, text, (size_t)length) == length;
}

int main(void) {
  char line[8];
  pid_t first = fork();
  if (first == 0) execl("/bin/sh", "sh", "-c", "exit 4", NULL);
  if (!fgets(line, sizeof line, stdin)) return 1;
  waitpid(first, NULL, 0);
  if (fork() == 0) {
    pid_t second = number_next(first) ? fork() : -1;
    if (second == 0) {
      if (getpid() != first || !fgets(line, sizeof line, stdin)) return 2;
      execl("/bin/sh", "sh", "-c", "exit 7", NULL);
    }
    return second < 0 ? 3 : 0;
  }
  wait(NULL);
  return 0;
}
