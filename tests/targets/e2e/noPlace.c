/* A statement that has no place for a jump: a call comes back among the bytes it would replace. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void *thread(void *count) {
  return (void *)(long)turns(*(int *)count);
}

/* The signals that the caller blocks, and whether SIGTRAP is handled, as the program sees it. */
static int blocked(void) {
  sigset_t now;
  pthread_sigmask(SIG_BLOCK, 0, &now);
  return sigismember(&now, SIGTRAP);
}

int main(void) {
  char line[64];
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    int count = atoi(line + 1), status = 0;
    void *of_thread = 0;
    pthread_t other;
    pid_t child;
    switch (*line) {
    case 'f': /* a child runs it, and so does the parent */
      if (!(child = fork())) _exit(turns(count) & 127);
      waitpid(child, &status, 0);
      printf("%d %d\n", turns(count), status);
      break;
    case 't': /* two threads at once */
      pthread_create(&other, 0, thread, &count);
      printf("%d ", turns(count));
      pthread_join(other, &of_thread);
      printf("%ld\n", (long)of_thread);
      break;
    case 'b': {
      sigset_t trap;
      sigemptyset(&trap);
      sigaddset(&trap, SIGTRAP);
      pthread_sigmask(SIG_BLOCK, &trap, 0);
      break;
    }
    default: printf("%d\n", turns(count));
    }
    printf("%d done\n", blocked());
    fflush(stdout);
  }
  return 0;
}
