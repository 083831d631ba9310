// Two threads of nested calls with serial numbers; counts in a shared file, argv[1], which of them are over.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <thread>

#define OWN __attribute__((noinline))

namespace serial {
std::atomic<bool> stopping{false};
volatile std::int64_t last[2];
OWN std::int64_t inner(std::int64_t n, int thread) { return n * 3 + thread; }
OWN std::int64_t outer(std::int64_t n, int thread) {
  return inner(n, thread) + inner(n + 1, thread);
}
void work(std::atomic<std::int64_t> *completed, int thread) {
  for (std::int64_t n = 0; !stopping;) {
    for (int i = 0; i < 20; i++, n++) {
      last[thread] = outer(n, thread);
      completed->store(n + 1, std::memory_order_release);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}
}  // namespace serial

int main(int count, char **arguments) {
  if (count < 2) return 2;
  std::signal(SIGTERM, [](int) { serial::stopping = true; });
  const int file = open(arguments[1], O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, 4096) != 0) return 2;
  void *page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) return 2;
  auto *completed = static_cast<std::atomic<std::int64_t> *>(page);
  std::thread one(serial::work, completed, 0), two(serial::work, completed + 8, 1);
  one.join();
  two.join();
  return 7;
}
