// Two threads that call small functions and print; tells a file how it ends, once by TERM, once by itself.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#define OWN __attribute__((noinline))

namespace busy {
std::atomic<bool> stopping{false};
std::atomic<int> total{0};
OWN int leaf(int value) { return value * 3 + 1; }
OWN int step(int value, const char *name) {
  int sum = 0;
  for (int i = 0; i < 5; i++) sum += leaf(value + i);
  return name[0] == 'q' ? -sum : sum;
}
void work(const char *name, bool prints) {
  for (int round = 1; !stopping; round++) {
    for (int i = 0; i < 40; i++) total += step(round + i, name);
    if (prints) {
      std::printf("line %d of %s\n", round, name);
      std::fflush(stdout);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}
}  // namespace busy

int main(int count, char **arguments) {
  if (count < 2) return 2;
  std::signal(SIGTERM, [](int) { busy::stopping = true; });
  std::thread loud(busy::work, "loud", true);
  std::thread quiet(busy::work, "quiet", false);
  loud.join();
  quiet.join();
  if (FILE *told = std::fopen(arguments[1], "w")) {
    std::fprintf(told, "ended with 7 as %d\n", static_cast<int>(getpid()));
    std::fclose(told);
  }
  return 7;
}
