/* Values that lead to functions or tell a type at run time only: function pointers, members, std::function, std::any; lambdas; adaptors. */
#include <any>
#include <array>
#include <cstdio>
#include <deque>
#include <functional>
#include <queue>
#include <span>
#include <stack>
#include <string>

#ifdef __clang__
#define KEPT __attribute__((noinline, optnone))
#else
#define KEPT __attribute__((noipa))
#endif

namespace shop {
struct Till {
  int cents = 7;
  int add(int more) { return cents + more; }
  virtual int close(int more) { return more; }
  virtual ~Till() = default;
};
struct Log {
  long lines = 1;
  virtual int open(int more) { return more + 1; }
  virtual ~Log() = default;
};
struct Desk : Till, Log {
  virtual int own(int more) { return more + 2; }
};
struct Handler {
  const char *name;
  int (*compare)(int, int);
};
struct Trio { long a, b, c; };
int ascending(int a, int b) { return a < b; }
int descending(int a, int b) { return a > b; }
int doubled(int x) { return 2 * x; }

KEPT int compared(int (*how)(int, int), int a, int b) { return how(a, b); }
KEPT int handled(const Handler &handler) { return handler.compare(1, 2); }
KEPT int later(std::function<int(int)> work) { return work ? work(3) : 0; }
KEPT int member(int (Till::*what)(int), Till &till) { return (till.*what)(1); }
KEPT int placed(int (Desk::*what)(int), Desk &desk) { return what ? (desk.*what)(1) : 0; }
KEPT int fixed(std::span<int, 3> all) { return all[0]; }
KEPT int adapted(std::queue<int> &queue, std::stack<int> &stack, std::priority_queue<int> &heap) {
  return queue.front() + stack.top() + heap.top();
}
KEPT int anything(const std::any &what) { return what.has_value(); }
KEPT long tail(const std::deque<Trio> &trios) { return trios.back().c; }
template <class Work> KEPT int applied(Work work) { return work(1); }
}

int main(int count, char **) {
  using namespace shop;
  Till till;
  Desk desk;
  int offset = 4 + count;
  long factor = 2 + count;
  std::array<int, 3> three{1, 2, 3};
  std::queue<int> queue;
  std::stack<int> stack;
  std::priority_queue<int> heap;
  for (int value : {3, 8, 4}) queue.push(value), stack.push(value), heap.push(value);
  std::deque<Trio> trios;
  for (long i = 0; i < 175; i++) trios.push_back({i, -i, 2 * i});
  while (trios.size() > 10) trios.pop_front();
  int sum = (int)tail(trios);
  sum += compared(ascending, 1, 2);
  sum += compared(descending, 1, 2);
  sum += handled({"up", ascending});
  sum += later(doubled);
  sum += later([offset](int n) { return n + offset; });
  sum += later(nullptr);
  sum += member(&Till::add, till);
  sum += member(&Till::close, till);
  sum += placed(&Desk::close, desk) + placed(&Desk::own, desk);
  sum += placed(&Desk::open, desk) + placed(nullptr, desk) + placed(&Desk::add, desk);
  sum += fixed(three) + adapted(queue, stack, heap);
  sum += anything(42);
  sum += anything(std::string("text"));
  sum += anything({});
  sum += applied([offset, factor](int n) { return int(offset * factor + n); });
  printf("%d\n", sum);
}
