// Threads that compute what is known, and say where they are in a file that nobody else writes (argv[1]).
// Each wrong result ends the program with status 3. Ends when the first word of the file is not 0.
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace truth {

constexpr int kThreads = 4;

/* What a thread says of itself. */
struct Slot {
  volatile uint64_t tid, rounds, from, i, parts, leafs, unused[2];
};

struct Page {
  volatile uint64_t ended, knobs, threads, unused[5];
  Slot slots[kThreads];
};

/* Only the debugger sets them. */
struct Knobs {
  int64_t large = 1000;
  int32_t small = -7;
  float ratio = 0.5F;
  uint8_t bytes[16] = {1, 2, 3};
  int32_t table[8] = {10, 11, 12, 13, 14, 15, 16, 17};
};

volatile Knobs knobs;
Page *page;

__attribute__((noinline)) int64_t leaf(Slot *own, int64_t x) {
  own->leafs = own->leafs + 1;
  return x * 3 + 1;
}

__attribute__((noinline)) int64_t part(Slot *own, int64_t x, int64_t *kept) {
  own->parts = own->parts + 1;
  int64_t sum = leaf(own, x);
  sum += leaf(own, x + 1);
  *kept = sum;
  if (sum % 2 == 0) sum -= 4;
  return sum;
}

__attribute__((noinline)) int64_t whole(Slot *own, int64_t from) {
  int64_t sum = 0, kept = 0;
  for (int64_t i = 0; i < 8; i++) {
    own->i = i;
    sum += part(own, from + i, &kept);
    sum ^= kept;
  }
  return sum;
}

int64_t expected(int64_t from) {
  int64_t sum = 0;
  for (int64_t i = 0; i < 8; i++) {
    int64_t x = from + i, one = 6 * x + 5, kept = one;
    if (one % 2 == 0) one -= 4;
    sum += one;
    sum ^= kept;
  }
  return sum;
}

void work(int number) {
  Slot *own = &page->slots[number];
  own->tid = syscall(SYS_gettid);
  for (int64_t from = number; !page->ended; from = (from + 7) % 10007) {
    own->from = from;
    if (whole(own, from) != expected(from)) _exit(3);
    own->rounds = own->rounds + 1;
    usleep(500);
  }
}

} // namespace truth

int main(int, char **words) {
  int file = open(words[1], O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, 4096)) return 2;
  truth::page = static_cast<truth::Page *>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  truth::page->knobs = reinterpret_cast<uint64_t>(&truth::knobs);
  truth::page->threads = truth::kThreads;
  std::vector<std::thread> threads;
  for (int i = 1; i < truth::kThreads; i++) threads.emplace_back(truth::work, i);
  truth::work(0);
  for (auto &thread : threads) thread.join();
  puts("right");
  return 0;
}
