/* As noPlace.c; children of every kind run the statement. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES (1 << 20)

extern char **environ;

__attribute__((naked)) static void nothing(void) { __asm__("ret"); }

static int turns(int count) {
  register void (*call)(void) __asm__("rbx") = nothing;
  int sum = 0;
  nothing(); /* so that nothing of the frame lies below the stack pointer */
  for (int i = 0; i < count; i++) {
    sum += i;
    __asm__ volatile("nop\n\tcall *%0\n\tnop" : : "r"(call) : "memory"); /* no place */
  }
  return sum;
}

static int child(void *count) { _exit(turns(*(int *)count)); }

static void *thread(void *count) {
  return (void *)(long)turns(*(int *)count);
}

/* With a grandchild. */
static int family(int count) {
  int status = 0;
  pid_t inner = fork();
  if (!inner) child(&count);
  waitpid(inner, &status, 0);
  return WEXITSTATUS(status) + turns(count);
}

static int threads(int count) {
  pthread_t other;
  void *sum;
  pthread_create(&other, 0, thread, &count);
  int own = turns(count);
  pthread_join(other, &sum);
  return own + (int)(long)sum;
}

static int blocked(int count) {
  sigset_t signals;
  sigfillset(&signals);
  sigprocmask(SIG_BLOCK, &signals, 0);
  int sum = turns(count);
  sigprocmask(SIG_BLOCK, 0, &signals);
  return sum + 64 * sigismember(&signals, SIGTRAP);
}

static int executed(char **words, int count) {
  turns(count);
  return execv("/proc/self/exe", words);
}

/* What cannot be executed, then what can. */
static int refused(char **words, int count) {
  int file = memfd_create("noProgram", 0);
  if (write(file, "\177ELF", 4) != 4 || fexecve(file, words, environ) == 0) return 0;
  return executed(words, count);
}

static void *executes(void *words) {
  return (void *)(long)execv("/proc/self/exe", words);
}

/* A thread that is not the first one executes. */
static int aside(char **words) {
  pthread_t other;
  pthread_create(&other, 0, executes, words);
  return pthread_join(other, 0);
}

/* A shell starts the program, and becomes it. */
static int by_shell(const char *number) {
  char path[4096] = "", line[9000];
  if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) return 0;
  snprintf(line, sizeof line, "%s %s; exec %s %s", path, number, path, number);
  return WEXITSTATUS(system(line));
}

static pid_t cloned(int flags, int *count) {
  char *stack =
      mmap(0, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return clone(child, stack + STACK_BYTES, flags, count);
}

static pid_t begin(char kind, char *number) {
  static int count; /* also for what has the same memory */
  count = atoi(number);
  char *words[] = {"noPlaceChildren", number, 0};
  pid_t pid = 0;
  switch (kind) {
  case 'f': return (pid = fork()) ? pid : child(&count);
  case 'g': return (pid = fork()) ? pid : (_exit(family(count)), 0);
  case 't': return (pid = fork()) ? pid : (_exit(threads(count)), 0);
  case 'b': return (pid = fork()) ? pid : (_exit(blocked(count)), 0);
  case 'e': return (pid = fork()) ? pid : (_exit(executed(words, count)), 0);
  case 'r': return (pid = fork()) ? pid : (_exit(refused(words, count)), 0);
  case 'h': return (pid = fork()) ? pid : (_exit(aside(words)), 0);
  case 'y': return (pid = fork()) ? pid : (_exit(by_shell(number)), 0);
  case 'v': return (pid = vfork()) ? pid : child(&count);
  case 's': posix_spawn(&pid, "/proc/self/exe", 0, 0, words, environ); return pid;
  case 'c': return cloned(SIGCHLD, &count);
  case 'd': return cloned(0, &count);
  case 'm': return cloned(CLONE_VM | SIGCHLD, &count);
  case 'n': return cloned(CLONE_VM, &count);
  case 'w': return cloned(CLONE_VFORK | SIGCHLD, &count);
  default: return cloned(CLONE_UNTRACED | SIGCHLD, &count);
  }
}

int main(int words, char **word) {
  char line[64];
  if (words > 1) return turns(atoi(word[1]));
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    int status = 0;
    pid_t pid = 0;
    if (*line == 'x') return 0;
    if (*line == 'q') execl("/proc/self/exe", "noPlaceChildren", (char *)0);
    /* The child reads what comes, up to "x". */
    if (*line == 'k') pid = fork();
    else if (*line != 'p') pid = begin(*line, line + 1);
    if (pid) waitpid(pid, &status, __WALL);
    printf("%s %d %d %d done\n", line, WIFEXITED(status), WEXITSTATUS(status),
           turns(*line == 'k' ? 0 : atoi(line + 1)));
    fflush(stdout);
  }
  return 0;
}
