/* Containers that do not fit together when a function is called with them, and one that another thread changes all the time. */
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <thread>
#include <unordered_map>
#include <vector>

#ifdef __clang__
#define KEPT __attribute__((noinline, optnone))
#else
#define KEPT __attribute__((noipa))
#endif

namespace shop {
struct Item;
extern std::list<Item> *items;
KEPT int clearing(const std::list<Item> &all) { return (int)(all.size() * 3 + (size_t)&all % 8); }
/* The third that goes looks at the list it is leaving. */
struct Item {
  int number;
  explicit Item(int number) : number(number) {}
  ~Item() {
    if (number == 3) clearing(*items);
  }
};
std::list<Item> *items;

KEPT long listed(const std::list<int> &all) { return (long)all.size(); }
KEPT long mapped(const std::map<int, int> &all) { return (long)all.size(); }
KEPT long grouped(const std::set<int> &all) { return (long)all.size(); }
KEPT long hashed(const std::unordered_map<int, int> &all) { return (long)all.size(); }
KEPT long rowed(const std::vector<int> &all) { return (long)all.capacity(); }
KEPT long queued(const std::deque<int> &all) { return (long)all.max_size(); }
KEPT int moved(const std::list<int> &all) { return all.size() < 30 && !all.empty(); }
}

/* A word of an object is another one for as long as `call` takes. */
template <class Object, class Call> static void changed(Object &object, size_t at, long by, Call call) {
  long word, other;
  char *place = (char *)&object + at;
  memcpy(&word, place, 8);
  other = word + by;
  memcpy(place, &other, 8);
  call();
  memcpy(place, &word, 8);
}

#ifdef _LIBCPP_VERSION
enum { listCount = 16, treeCount = 16, hashCount = 24, firstNode = 8, nextNode = 8 };
#else
enum { listCount = 16, treeCount = 40, hashCount = 24, firstNode = 0, nextNode = 0 };
#endif

int main(int count, char **) {
  using namespace shop;
  std::list<int> list{3, 1, 2};
  std::map<int, int> map{{1, 10}, {2, 20}};
  std::set<int> set{5, 6, 7};
  std::unordered_map<int, int> hash{{8, 80}};
  std::vector<int> row{4, 5, 6};
  std::deque<int> queue{7, 8, 9};
  listed(list), mapped(map), grouped(set), hashed(hash), rowed(row), queued(queue);
  changed(list, listCount, 2, [&] { listed(list); });
  changed(list, listCount, -2, [&] { listed(list); });
  changed(map, treeCount, 1, [&] { mapped(map); });
  changed(set, treeCount, -1, [&] { grouped(set); });
  changed(hash, hashCount, 3, [&] { hashed(hash); });
  changed(row, 8, -4096, [&] { rowed(row); });
  /* The first node leads to where nothing is. */
  char *node = *(char **)((char *)&list + firstNode);
  changed(*node, nextNode, 0x1000 - *(long *)(node + nextNode), [&] { listed(list); });

  std::list<Item> leaving;
  items = &leaving;
  for (int i = 1; i <= 5; i++) leaving.emplace_back(i);
  leaving.clear();

  /* Nodes go from one list to the other, and none is ever freed. */
  std::list<int> here, there;
  for (int i = 0; i < 40; i++) (i % 2 ? here : there).push_back(1000 + i);
  std::atomic<bool> stop{false};
  std::atomic<int> rounds{0};
  std::thread mover([&] {
    while (!stop) {
      there.splice(there.end(), here, here.begin());
      here.splice(here.begin(), there, --there.end());
      rounds++;
    }
  });
  int calls = 0;
  for (; calls < 2000 || rounds < 2000; calls++) {
    moved(here);
    if (calls % 500 == 0) std::this_thread::yield();
  }
  stop = true;
  mover.join();
  printf("%d %zu\n", calls >= 2000, here.size() + there.size());
}
