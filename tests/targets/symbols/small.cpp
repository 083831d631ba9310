// A little of all that debug information describes: as small as may be.
namespace shop {
enum Kind { none, cash, card = 7 };
template <class T> struct Box { T held; unsigned flag : 3; T get() const { return held; } };
struct Base { virtual int price(int n) { return n; } long id; };
struct Item : Base { int price(int n) override; const char *name; Box<int> box; Kind kind; };
int total;
static thread_local long calls;
static inline int twice(int n) { return n * 2 + (int)calls; }
int Item::price(int n) {
  auto add = [this, n](int more) { return box.get() + n + more; };
  total += add(kind);
  for (int i = 0; i < n; i++) total += twice(i);
  return total;
}
union Word { int i; float f; };
__attribute__((noinline)) double mixed(double a, Word w, int (*call)(int), const Item &item, int rest[4]) {
  calls++;
  return a + w.i + call(rest[1]) + twice(item.kind);
}
}
extern "C" int run(shop::Item *item, int n) { int r[4] = {1, n, 3, 4}; return item->price(n) + (int)shop::mixed(n, {1}, [](int x) { return x; }, *item, r); }
