// Statically linked: traced from outside. With "stay" it goes on until its input ends.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdexcept>
#include <stdio.h>
#include <string.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

struct Point {
  int x, y;
};

static volatile int zero;

__attribute__((noinline)) int add(int a, int b) { return a + b; }
__attribute__((noinline)) double scale(double by, float of) { return by * of; }
__attribute__((noinline)) const char *greet(const char *name) {
  static char text[64];
  snprintf(text, sizeof text, "hello %s", name);
  return text;
}
__attribute__((noinline)) Point moved(Point from, int by) { return {from.x + by, from.y + by}; }
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) int pick(int which) {
  switch (which) {
  case 0: return 10;
  case 1: return add(1, which);
  case 2: return 30 + zero;
  case 3: return fib(4);
  case 4: return 50;
  default: return -1;
  }
}
__attribute__((noinline)) void quiet(int times) {
  for (int i = 0; i < times; i++) zero = 0;
}
__attribute__((noinline)) int forwarded(int a) { return add(a, 1); }
__attribute__((noinline)) long many(int a, int b, int c, int d, int e, int f, int g, const char *h) {
  return a + b + c + d + e + f + g + (long)strlen(h);
}
__attribute__((noinline)) std::string joined(const std::vector<std::string> &parts) {
  std::string all;
  for (const auto &part : parts) all += part;
  return all;
}
__attribute__((noinline)) int checked(int n) {
  if (n > 2) throw std::out_of_range("too many");
  return n;
}
__attribute__((noinline)) int guarded(int n) {
  try {
    return checked(n);
  } catch (const std::exception &) {
    return -n;
  }
}

static jmp_buf back;
__attribute__((noinline)) void leaves() { longjmp(back, 1); }
__attribute__((noinline)) int jumps() {
  if (setjmp(back)) return 7;
  leaves();
  return 0;
}

static volatile int ticks;
__attribute__((noinline)) void handler(int) { ticks = add(ticks, 1); }

static void *worker(void *number) {
  long sum = 0;
  for (int i = 0; i < 50; i++) sum += add((int)(long)number, i);
  return (void *)sum;
}

static void threads() {
  pthread_t all[8];
  void *sum = 0;
  for (long i = 0; i < 8; i++) pthread_create(&all[i], 0, worker, (void *)i);
  for (auto &one : all) pthread_join(one, &sum);
  printf("threads %ld\n", (long)sum);
}

int main(int count, char **words) {
  std::string how = count > 1 ? words[1] : "";
  printf("%d %.2f %s\n", add(2, 3), scale(1.5, 2), greet("Ada"));
  Point to = moved({1, 2}, 3);
  printf("%d %d %d\n", to.x, to.y, fib(10));
  for (int i = 0; i < 6; i++) printf("%d ", pick(i));
  quiet(3);
  printf("%d %ld %s\n", forwarded(4), many(1, 2, 3, 4, 5, 6, 7, "eight"), joined({"a", "bc"}).c_str());
  printf("%d %d %d\n", guarded(1), guarded(3), jumps());
  threads();
  fflush(stdout);
  if (fork() == 0) _exit(add(1, 2));
  int status = 0;
  wait(&status);
  printf("child %d\n", WEXITSTATUS(status));
  fflush(stdout);
  if (how == "hot") printf("%d\n", fib(27));
  if (how == "signals") {
    signal(SIGALRM, handler);
    ualarm(200, 200);
    int sum = 0;
    while (ticks < 500) sum = add(sum, 1) & 0xff;
    printf("signals\n");
  }
  if (how == "stay") {
    struct timespec pause = {0, 1000000};
    for (;;) {
      add(1, 2);
      guarded(3);
      nanosleep(&pause, 0);
    }
  }
  return how == "crash" ? *(volatile int *)(long)zero : 3;
}
