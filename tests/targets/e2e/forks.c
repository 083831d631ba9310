/* Ways to make a process without exec, each of which calls functions of this program: the argument
 * says which way, and how often. Every child returns what it computed as its exit status. */
#define _GNU_SOURCE
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define KEEP __asm__ volatile("")

NOINLINE int step(int a) { KEEP; return a + 1; }
NOINLINE int work(int a) {
  int b = step(a);
  KEEP;
  return b * 2;
}
static int status_of(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

NOINLINE int by_fork(int i) {
  pid_t pid = fork();
  if (pid == 0) _exit(work(i));
  return status_of(pid);
}
/* The child returns through a call that its parent began. */
NOINLINE pid_t forks(void) { pid_t pid = fork(); KEEP; return pid; }
NOINLINE int by_return(int i) {
  pid_t pid = forks();
  if (pid == 0) exit(work(i));
  work(100);
  return status_of(pid);
}
NOINLINE int by_double(int i) {
  pid_t pid = fork();
  if (pid == 0) {
    work(50);
    int below = by_fork(i);
    _exit(below + step(0));
  }
  return status_of(pid);
}
NOINLINE int by_clone(int i) {
  long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(work(i));
  return status_of((pid_t)pid);
}
NOINLINE int by_vfork(int i) {
  pid_t pid = vfork();
  if (pid == 0) _exit(work(i));
  work(i);
  return status_of(pid);
}
/* A child whose first traced call is that of its own child by vfork. */
NOINLINE int by_before(int i) {
  pid_t pid = fork();
  if (pid == 0) {
    pid_t below = vfork();
    if (below == 0) _exit(work(i));
    status_of(below);
    _exit(work(i));
  }
  return status_of(pid);
}
static void *in_thread(void *argument) {
  work(7);
  *(int *)argument = by_fork(*(int *)argument);
  work(8);
  return NULL;
}
NOINLINE int by_thread(int i) {
  pthread_t threads[3];
  int values[3] = {i, i + 1, i + 2};
  for (int k = 0; k < 3; k++) pthread_create(&threads[k], NULL, in_thread, &values[k]);
  for (int k = 0; k < 3; k++) pthread_join(threads[k], NULL);
  return values[0] + values[1] + values[2];
}
/* Children that make threads of their own. */
static void *child_thread(void *argument) { return (void *)(long)work((int)(long)argument); }
NOINLINE int by_threaded(int i) {
  pid_t pid = fork();
  if (pid != 0) return status_of(pid);
  pthread_t thread;
  void *got;
  pthread_create(&thread, NULL, child_thread, (void *)(long)i);
  pthread_join(thread, &got);
  _exit((int)(long)got + step(0));
}
/* A signal handler that forks, while the program calls traced functions. */
static volatile sig_atomic_t handled, wrong;
static void on_signal(int number) {
  (void)number;
  pid_t pid = fork();
  if (pid == 0) _exit(work(3));
  if (status_of(pid) != 8) wrong++;
  handled++;
}
NOINLINE int by_handler(int i) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGALRM, &action, NULL);
  long sum = 0;
  for (int k = 0; k <= i; k++) {
    ualarm(500, 0);
    while (handled <= k) sum += step(k);
  }
  handled = 0;
  return sum > 0 ? wrong : -1;
}
/* A server that forks its workers first; each takes requests from a pipe until it is closed. */
NOINLINE int serve(int request) { KEEP; return work(request) + 1; }
NOINLINE int by_prefork(int i) {
  int requests[2], answers[2], total = 0, request, answer;
  if (pipe(requests) || pipe(answers)) return -1;
  pid_t pids[4];
  for (int k = 0; k < 4; k++) {
    pids[k] = fork();
    if (pids[k] != 0) continue;
    close(requests[1]);
    while (read(requests[0], &request, sizeof request) == sizeof request) {
      answer = serve(request);
      if (write(answers[1], &answer, sizeof answer) < 0) _exit(9);
    }
    _exit(0);
  }
  for (request = i; request < i + 20; request++)
    if (write(requests[1], &request, sizeof request) < 0) return -2;
  close(requests[1]);
  for (int k = 0; k < 20; k++) {
    if (read(answers[0], &answer, sizeof answer) != sizeof answer) return -3;
    total += answer;
  }
  for (int k = 0; k < 4; k++) total += status_of(pids[k]);
  close(requests[0]);
  close(answers[0]);
  close(answers[1]);
  return total;
}
/* Children that forbid themselves system calls, after a traced call and before. */
NOINLINE int by_sandbox(int i) {
  pid_t pid = fork();
  if (pid != 0) return status_of(pid);
  if (i % 2) work(1);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  syscall(SYS_exit, work(i));
  return 0;
}

/* Children that die, after a traced call and without one. */
NOINLINE void dies(int *where) { KEEP; *where = 1; }
NOINLINE int by_crash(int i) {
  pid_t pid = fork();
  if (pid != 0) return status_of(pid);
  if (i % 2) work(1);
  dies(NULL);
  return 0;
}

/* Children that may write no file, or open none. */
NOINLINE int by_limits(int i) {
  pid_t pid = fork();
  if (pid != 0) return status_of(pid);
  struct rlimit none = {0, 0};
  setrlimit(i % 2 ? RLIMIT_FSIZE : RLIMIT_NOFILE, &none);
  _exit(work(i));
}
/* Children that all live at the same time. */
NOINLINE int by_crowd(int i) {
  static pid_t pids[200];
  int gate[2], total = 0;
  char byte;
  if (pipe(gate)) return -1;
  for (int k = 0; k < 200; k++) {
    pids[k] = fork();
    if (pids[k] != 0) continue;
    close(gate[1]);
    int result = work(k % 50 + i);
    if (read(gate[0], &byte, 1) != 0) _exit(99);
    _exit(result);
  }
  close(gate[0]);
  close(gate[1]);
  for (int k = 0; k < 200; k++) total += status_of(pids[k]);
  return total;
}

static const struct {
  const char *name;
  int (*run)(int);
} ways[] = {
    {"fork", by_fork},   {"return", by_return},     {"double", by_double},   {"clone", by_clone},     {"vfork", by_vfork}, {"before", by_before},
    {"thread", by_thread}, {"threaded", by_threaded}, {"handler", by_handler}, {"prefork", by_prefork}, {"sandbox", by_sandbox}, {"crash", by_crash}, {"limits", by_limits}, {"crowd", by_crowd},
};

int main(int count, char **arguments) {
  if (count < 3) return 2;
  setvbuf(stdout, NULL, _IONBF, 0);
  work(0);
  for (int i = 0; i < atoi(arguments[2]); i++)
    for (unsigned way = 0; way < sizeof ways / sizeof *ways; way++)
      if (strcmp(arguments[1], ways[way].name) == 0) printf("%d\n", ways[way].run(i % 100));
  return 3;
}
