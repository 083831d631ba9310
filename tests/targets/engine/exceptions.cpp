// C++ exceptions through traced frames: caught near and far, rethrown, through destructors and
// many frames, in threads, through noexcept (uncaught: the program ends by abort).
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <string>

#define NOINLINE __attribute__((noinline, noclone))

static int destroyed = 0;
struct Guard {
  ~Guard() { destroyed++; }
};

NOINLINE int thrower(int code) {
  if (code > 0) throw std::runtime_error("code " + std::to_string(code));
  asm volatile("");
  return code;
}
NOINLINE int guarded(int code) {
  Guard guard;
  int result = thrower(code);
  asm volatile("");
  return result + 1;
}
NOINLINE int caughtNear(int code) {
  try {
    return guarded(code);
  } catch (const std::exception &error) {
    std::printf("near: %s\n", error.what());
    return -1;
  }
}
NOINLINE int rethrows(int code) {
  try {
    return guarded(code);
  } catch (...) {
    asm volatile("");
    throw;
  }
}
NOINLINE int caughtFar(int code) {
  try {
    return rethrows(code) + 1;
  } catch (const std::runtime_error &error) {
    std::printf("far: %s\n", error.what());
    return -2;
  }
}
NOINLINE long deep(long level, double weight) {
  Guard guard;
  if (level == 0) throw level;
  long result = deep(level - 1, weight + 0.5);
  asm volatile("");
  return result + 1;
}
NOINLINE void *worker(void *argument) {
  for (int i = 0; i < 200; i++) {
    try {
      deep(20, 1);
    } catch (long) {
    }
  }
  return argument;
}
NOINLINE void isNoexcept(int code) noexcept { guarded(code); }

int main() {
  char line[64];
  setvbuf(stdout, nullptr, _IOLBF, 0);
  std::puts("ready");
  if (!std::fgets(line, sizeof line, stdin)) return 2;
  std::printf("%d %d %d\n", caughtNear(0), caughtNear(5), caughtFar(7));
  for (int i = 0; i < 100; i++) {
    try {
      deep(100, i);
    } catch (long level) {
      if (level != 0) std::puts("wrong level");
    }
  }
  pthread_t threads[4];
  for (pthread_t &thread : threads) pthread_create(&thread, nullptr, worker, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  std::printf("destroyed %d\n", destroyed > 0);
  if (!std::strcmp(line, "abort\n")) isNoexcept(3);
  return 7;
}
