// Starts `starts <way> <program> <number>` in one of the ways a C program can, and ends with its status.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char *program, **words;

static pid_t forked(void)
{
  pid_t pid = fork();
  if (pid == 0) execv(program, words), _exit(1);
  return pid;
}

static pid_t vforked(void)
{
  pid_t pid = vfork();
  if (pid == 0) execv(program, words), _exit(1);
  return pid;
}

static pid_t cloned(void)
{
  pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) syscall(SYS_execve, program, words, environ), _exit(1);
  return pid;
}

static void *replace(void *nothing)
{
  execv(program, words);
  return nothing;
}

int main(int count, char **given)
{
  char line[4096], text[256];
  int status = 0;
  pid_t pid = 0;
  const char *way = given[1];
  if (count < 4) return 99;
  program = given[2];
  words = (char *[]){program, given[3], NULL};
  snprintf(line, sizeof line, "%s %s", program, given[3]);
  if (!strcmp(way, "fork")) pid = forked();
  else if (!strcmp(way, "vfork")) pid = vforked();
  else if (!strcmp(way, "clone")) pid = cloned();
  else if (!strcmp(way, "spawn")) posix_spawn(&pid, program, NULL, NULL, words, environ);
  else if (!strcmp(way, "system")) status = system(line);
  else if (!strcmp(way, "popen")) {
    FILE *pipe = popen(line, "r");
    while (fgets(text, sizeof text, pipe)) fputs(text, stdout);
    status = pclose(pipe);
  } else if (!strcmp(way, "thread")) {
    // Another thread than the main one replaces the program.
    pthread_t thread;
    pthread_create(&thread, NULL, replace, NULL);
    pthread_join(thread, NULL);
  } else execv(program, words);
  if (pid > 0) waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}
