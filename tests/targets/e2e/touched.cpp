// Writes and reads a number in the thread that each line names: one that was there before, or a new one.
#include <atomic>
#include <cstdio>
#include <thread>
#include <unistd.h>

static int stock;
static double price = 2.5;
static std::atomic<int> order{0};

__attribute__((noinline)) static void put(int amount) {
  stock = amount;
}

__attribute__((noinline)) static double cost() {
  return price * 2;
}

int main() {
  std::thread clerk([] {
    while (order != 9) {
      if (order == 1) {
        put(20);
        order = 0;
      }
      usleep(1000);
    }
  });
  char line[64];
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    int local = line[0];
    if (line[0] == 'm') put(10);
    if (line[0] == 'c') order = 1;
    if (line[0] == 'n') std::thread([] { put(30); }).join();
    if (line[0] == 'r') printf("cost %.1f\n", cost());
    while (order == 1) usleep(1000);
    local++;
    printf("done %d %d\n", stock, local);
    fflush(stdout);
  }
  order = 9;
  clerk.join();
  return 0;
}
