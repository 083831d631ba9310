// Runs until told to stop; two named threads call small functions all the time.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#define OWN __attribute__((noinline))

namespace clockwork {
std::atomic<bool> stopping{false};
OWN bool tick(int round, bool even) { return even == (round % 2 == 0); }
OWN double tock(int round, double factor) { return round * factor; }

void turn(int pauseMs, const char *say) {
  for (int round = 1; !stopping; round++) {
    if (!tick(round, round % 2 == 0)) return;
    const double value = tock(round, 0.5);
    if (say != nullptr) {
      std::printf("%s %d %.1f\n", say, round, value);
      std::fflush(stdout);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(pauseMs));
  }
}
}  // namespace clockwork

int main() {
  std::signal(SIGTERM, [](int) { clockwork::stopping = true; });
  std::thread fast([] {
    pthread_setname_np(pthread_self(), "fast-wheel");
    clockwork::turn(5, nullptr);
  });
  std::thread slow([] {
    pthread_setname_np(pthread_self(), "slow-wheel");
    clockwork::turn(50, "round");
  });
  fast.join();
  slow.join();
  std::puts("stopped");
  return 0;
}
