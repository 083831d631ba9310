// Works on orders in one thread while another counts, for stops in its functions: an order for each line read.
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <unistd.h>

struct Order {
  int id;
  double total;
  std::string name;
};

static std::atomic<long> ticks{0};
static std::atomic<bool> ended{false};
static volatile int counter;

__attribute__((noinline)) static int twice(int x) {
  int y = x * 2;
  return y;
}

static inline __attribute__((always_inline)) int added(int a, int b) {
  int sum = a + b;
  counter += sum;
  return sum;
}

__attribute__((noinline)) static int work(int i, const Order &order) {
  int a = twice(i);
  int b = added(a, order.id);
  if (i % 2 == 1) {
    b += 100;
  }
  for (int k = 0; k < 3; k++)
    counter += k;
  return a + b;
}

__attribute__((noinline)) static int depth(int n) {
  if (n == 0) return 1;
  int below = depth(n - 1);
  return below + n;
}

int main() {
  std::thread clock([] {
    while (!ended) {
      ticks++;
      usleep(1000);
    }
  });
  char line[64];
  puts("ready");
  fflush(stdout);
  for (int i = 0; fgets(line, sizeof line, stdin); i++) {
    if (line[0] == 't') printf("ticks %ld\n", ticks.load());
    else {
      Order order{7 + i, 12.5, "tea"};
      int sum = work(i, order);
      sum += depth(3);
      printf("done %d\n", sum);
    }
    fflush(stdout);
  }
  ended = true;
  clock.join();
  return 0;
}
