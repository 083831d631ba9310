// Calls left by longjmp, a thread named like a formula, and a child that runs another command.
#include <csetjmp>
#include <cstdio>
#include <pthread.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#define OWN __attribute__((noinline))

static std::jmp_buf top;

OWN int after(int value) {
  std::printf("%d\n", value);
  return value + 1;
}
OWN void dive(int level) {
  if (level == 0) std::longjmp(top, 1);
  dive(level - 1);
  asm volatile("");
}

int main(int argc, char **argv) {
  if (argc > 1) return after(5) == 6 ? 0 : 1;
  if (setjmp(top) == 0) dive(2);
  after(1);
  std::thread([] {
    pthread_setname_np(pthread_self(), "=sum");
    after(2);
  }).join();
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    execl(argv[0], argv[0], "second", nullptr);
    _exit(9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? 0 : 1;
}
