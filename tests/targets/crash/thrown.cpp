// Throws exceptions of several kinds; with "flood" more than can be recorded, with "end" one that nobody catches, with "threads" in two threads, one of which does not catch, with "crowd" in six at once.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

struct Refused {
  int code;
  std::string reason;
};
__attribute__((noinline)) void raise_one(int kind) {
  switch (kind) {
    case 0: throw std::invalid_argument("not a number: 3x");
    case 1: throw 42;
    case 2: throw "plain text";
    case 3: throw Refused{7, "no more money in this account"};
    case 4: throw std::system_error(std::make_error_code(std::errc::no_such_file_or_directory), "opening");
  }
}
__attribute__((noinline)) void through(int kind) {
  std::string local("destroyed on the way");
  raise_one(kind);
  printf("%s\n", local.c_str());
}
__attribute__((noinline)) int guarded(int kind) {
  try {
    through(kind);
  } catch (const std::exception &error) {
    return printf("%s\n", error.what());
  } catch (...) {
    return printf("something else\n");
  }
  return 0;
}
__attribute__((noinline)) void again() {
  try {
    raise_one(0);
  } catch (...) {
    throw;
  }
}
std::atomic<int> ready;
__attribute__((noinline)) int numbered(int number) {
  try {
    throw number;
  } catch (int caught) {
    return caught;
  }
}
static void crowd() {
  std::thread threads[6];
  std::atomic<int> sum{0};
  for (int one = 0; one < 6; one++)
    threads[one] = std::thread([one, &sum] {
      for (ready++; ready < 6;) std::this_thread::yield();
      for (int i = 0; i < 12; i++) sum += numbered(one * 100 + i);
    });
  for (auto &thread : threads) thread.join();
  printf("%d\n", sum.load());
}
int main(int count, char **words) {
  const char *way = count > 1 ? words[1] : "";
  int sum = 0;
  if (strcmp(way, "threads") == 0) {
    std::thread([] { guarded(1); }).join();
    std::thread([] { through(0); }).join();
  }
  if (strcmp(way, "crowd") == 0) return crowd(), 0;
  if (strcmp(way, "flood") == 0) {
    for (int i = 0; i < 20000; i++) {
      try {
        through(1);
      } catch (int number) {
        sum += number;
      }
    }
    return printf("%d\n", sum) < 0;
  }
  for (int kind = 0; kind < 6; kind++) sum += guarded(kind);
  try {
    again();
  } catch (const std::exception &) {
    sum++;
  }
  printf("%d\n", sum);
  fflush(stdout);
  if (strcmp(way, "end") == 0) through(0);
}
