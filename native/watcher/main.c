/* Waits for the end of a process that is not our child, and tells how it ended.
 *
 *   watcher PID START     START: field 22 of /proc/PID/stat, so that no other process of that
 *                         number is meant
 *
 * Standard output, a line each: "watching" as soon as it does; then one of "status N" (a wait
 * status), "unknown" (it has ended, nobody told how) and "gone" (there was no such process).
 * It ends with that, or when its standard input ends. The status is known while nobody has
 * waited for the process (/proc), and from Linux 6.15 on also afterwards (the pidfd). */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* linux/pidfd.h of 6.15; older headers lack it. */
struct pidfd_facts {
  uint64_t mask, cgroup;
  uint32_t pid, tgid, ppid, credentials[8];
  int32_t exit_code;
};
#define PIDFD_GET_FACTS _IOWR(0xFF, 11, struct pidfd_facts)
#define FACT_EXIT 8

#define STATE_FIELD 3
#define START_FIELD 22
#define EXIT_FIELD 52
/* A process that nobody waits for stays readable; one that is just being waited for is told by its
 * pidfd. */
#define REAP_LIMIT_MS 2000

struct process_stat {
  char state;
  unsigned long long start;
  int exit_code;
};

/* Returns 0 when there is no such process any more. */
static int read_stat(int pid, struct process_stat *out) {
  char path[40], text[2048];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = 0;
  /* The name before may hold anything, but not end later than this. */
  char *at = strrchr(text, ')');
  if (!at) return 0;
  memset(out, 0, sizeof *out);
  at = strtok(at + 1, " ");
  for (int field = STATE_FIELD; at; field++, at = strtok(NULL, " ")) {
    if (field == STATE_FIELD) out->state = *at;
    if (field == START_FIELD) out->start = strtoull(at, NULL, 10);
    if (field == EXIT_FIELD) out->exit_code = atoi(at);
  }
  return 1;
}

static int say(const char *line) {
  size_t length = strlen(line);
  return write(STDOUT_FILENO, line, length) == (ssize_t)length ? 0 : 1;
}

static int say_status(int status) {
  char line[32];
  snprintf(line, sizeof line, "status %d\n", status);
  return say(line);
}

/* 1: `status` is known; 0: not yet; -1: this kernel does not tell. */
static int ask_pidfd(int pidfd, int *status) {
  struct pidfd_facts facts = {.mask = FACT_EXIT};
  if (ioctl(pidfd, PIDFD_GET_FACTS, &facts) != 0) return -1;
  if (!(facts.mask & FACT_EXIT)) return 0;
  *status = facts.exit_code;
  return 1;
}

static int tell_end(int pid, unsigned long long start, int pidfd) {
  struct process_stat now;
  int status = 0;
  for (int waited = 0; waited < REAP_LIMIT_MS; waited += 10) {
    if (read_stat(pid, &now) && now.start == start && (now.state == 'Z' || now.state == 'X'))
      return say_status(now.exit_code);
    int known = ask_pidfd(pidfd, &status);
    if (known > 0) return say_status(status);
    if (known < 0 && errno != ESRCH) break;
    poll(NULL, 0, 10);
  }
  return say("unknown\n");
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  int pid = atoi(arguments[1]);
  unsigned long long start = strtoull(arguments[2], NULL, 10);
  int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
  struct process_stat now;
  if (pidfd < 0 || !read_stat(pid, &now) || now.start != start) return say("gone\n");
  if (say("watching\n")) return 1;
  struct pollfd waited[2] = {{.fd = pidfd, .events = POLLIN},
                             {.fd = STDIN_FILENO, .events = POLLIN}};
  for (;;) {
    if (poll(waited, 2, -1) < 0 && errno != EINTR) return 1;
    if (waited[0].revents) return tell_end(pid, start, pidfd);
    char byte;
    if (waited[1].revents && read(STDIN_FILENO, &byte, 1) <= 0) return 0;
  }
}
