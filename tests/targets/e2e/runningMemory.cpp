// Keeps an order on the heap and counts in one thread, while another waits for lines and says what it has.
#include <cstdio>
#include <string>
#include <thread>
#include <unistd.h>

struct Order {
  int id;
  double total;
  std::string name;
};

volatile int beats;
volatile bool ended;
int given = 41;
const char *const fixed = "fixed";
Order *order;

__attribute__((noinline)) int doubled(int value) { return value * 2; }

int main() {
  order = new Order{8, 98765.4321, "an order whose name is on the heap"};
  std::thread heart([] {
    while (!ended) {
      beats = beats + 1;
      usleep(500);
    }
  });
  char line[64];
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    int result = doubled(given);
    printf("given %d doubled %d total %.4f\n", given, result, order->total);
    fflush(stdout);
  }
  ended = true;
  heart.join();
  delete order;
  return 0;
}
