/*
 * namespaces HOW [PROGRAM ARGUMENT…]: works, makes or enters namespaces, works on, and executes PROGRAM or ends with 7.
 *
 *   user      a user namespace          all       and one of each other kind: its child is the first process there
 *   call      the same by syscall()     threads   with a thread of its own, which forbids it
 *   mounts    one of mounts alone       wrong     kinds that there are not
 *   own       enters that it is in      waits     "user", once a line has come
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int work(int step) {
  volatile int sum = step;
  for (int i = 0; i < 3; i++) sum += i;
  return sum;
}

static void *wait_here(void *unused) {
  pause();
  return unused;
}

static int separate(const char *how) {
  static const int all =
      CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC;
  pthread_t thread;
  char line[8];
  if (strcmp(how, "all") == 0) return unshare(all);
  if (strcmp(how, "call") == 0) return (int)syscall(SYS_unshare, CLONE_NEWUSER);
  if (strcmp(how, "mounts") == 0) return unshare(CLONE_NEWNS);
  if (strcmp(how, "wrong") == 0) return unshare(CLONE_NEWUSER | 1);
  if (strcmp(how, "own") == 0) return setns(open("/proc/self/ns/user", O_RDONLY), CLONE_NEWUSER);
  if (strcmp(how, "waits") == 0) puts("ready"), fflush(stdout), fgets(line, sizeof line, stdin);
  if (strcmp(how, "threads") == 0) pthread_create(&thread, NULL, wait_here, NULL);
  return unshare(CLONE_NEWUSER);
}

int main(int count, char **words) {
  int status = 0;
  if (count < 2) return 1;
  int sum = work(1), failed = separate(words[1]);
  printf("%s: %s\n", words[1], failed ? strerror(errno) : "done");
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    if (strcmp(words[1], "all") == 0) printf("process %d\n", getpid());
    fflush(stdout);
    _exit(work(2));
  }
  waitpid(pid, &status, 0);
  printf("sum %d, child %d\n", sum + work(3), WEXITSTATUS(status));
  fflush(stdout);
  if (count > 2) execvp(words[2], words + 2);
  return 7;
}
