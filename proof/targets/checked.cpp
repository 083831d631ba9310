// Threads that compute what is known, for stops: each wrong result ends the program with status 3.
// argv[1]: a file in which each thread counts its rounds. Ends at the end of its input.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace checked {

constexpr int kThreads = 4;
std::atomic<uint64_t> *counts;
std::atomic<bool> ended{false};

int64_t (*volatile chosen)(int64_t);

__attribute__((noinline)) int64_t leaf(int64_t x) { return x * 3 + 1; }

__attribute__((noinline)) int64_t part(int64_t x, int64_t *kept) {
  int64_t sum = leaf(x);
  sum += chosen(x + 1);
  *kept = sum;
  if (sum % 2 == 0) sum -= leaf(1);
  return sum;
}

__attribute__((noinline)) int64_t whole(int64_t from) {
  int64_t sum = 0, kept = 0;
  for (int64_t i = 0; i < 8; i++) {
    sum += part(from + i, &kept);
    sum ^= kept;
  }
  return sum;
}

int64_t expected(int64_t from) {
  int64_t sum = 0;
  for (int64_t i = 0; i < 8; i++) {
    int64_t x = from + i, one = x * 3 + 1 + (x + 1) * 3 + 1, kept = one;
    if (one % 2 == 0) one -= 4;
    sum += one;
    sum ^= kept;
  }
  return sum;
}

void work(int number) {
  for (int64_t from = number; !ended; from = (from + 7) % 10007) {
    if (whole(from) != expected(from)) {
      fprintf(stderr, "wrong: %ld\n", (long)from);
      _exit(3);
    }
    counts[number]++;
    if (from % 16 == 0) usleep(200);
  }
}

} // namespace checked

/* Says where, for whoever looks why. */
void died(int number, siginfo_t *, void *context) {
  auto *registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
  auto *code = reinterpret_cast<const unsigned char *>(registers[REG_RIP]);
  dprintf(2, "signal %d pc %llx main %p rsp %llx rax %llx:", number, registers[REG_RIP], (void *)died,
          registers[REG_RSP], registers[REG_RAX]);
  auto *stack = reinterpret_cast<const long long *>(registers[REG_RSP]);
  for (int i = 0; i < 16; i++) dprintf(2, " %llx", stack[i]);
  for (int i = -8; i < 8; i++) dprintf(2, " %02x", code[i]);
  dprintf(2, "\n");
  _exit(9);
}

int main(int, char **words) {
  struct sigaction action = {};
  action.sa_sigaction = died;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  int file = open(words[1], O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, 4096)) return 2;
  checked::counts = static_cast<std::atomic<uint64_t> *>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  checked::chosen = checked::leaf;
  std::vector<std::thread> threads;
  for (int i = 0; i < checked::kThreads; i++) threads.emplace_back(checked::work, i);
  puts("ready");
  fflush(stdout);
  while (getchar() != EOF) continue;
  checked::ended = true;
  for (auto &thread : threads) thread.join();
  puts("right");
  return 0;
}
