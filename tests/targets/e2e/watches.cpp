// Variables of every kind that change in known calls: globals, statics, thread-locals, members, text.
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

struct Audio { int rate; double gain; };
struct Config { Audio audio; const char *title; Config *next; };

long total = 0;
Config gConfig = {{100, 0.5}, "first", nullptr};
std::string label = "none";
static int hidden = 7;
thread_local int depth = 0;
Config *wild = reinterpret_cast<Config *>(0x10);
Config *none = nullptr;
const int limit = 12;
namespace bank { int accounts = 1; }

struct Meter {
  int rate;
  explicit Meter(int start) : rate(start) {}
  __attribute__((noinline)) void set(int to) { volatile int copy = to; rate = copy; }
  __attribute__((noinline)) int get() { volatile int copy = rate; return copy; }
};

extern "C" {
__attribute__((noinline)) void add(long amount) { total += amount; asm volatile("" ::: "memory"); }
static volatile int looked;
__attribute__((noinline)) void look() { looked = looked + 1; looked = looked * 3; }
__attribute__((noinline)) void outer(long amount) { look(); add(amount); look(); }
__attribute__((noinline)) void tune(int rate) { gConfig.audio.rate = rate; gConfig.audio.gain = rate / 200.0; asm volatile("" ::: "memory"); }
__attribute__((noinline)) void name(const char *to) { label = to; gConfig.title = to; asm volatile("" ::: "memory"); }
__attribute__((noinline)) int counted() { static int calls = 0; calls++; hidden += 2; bank::accounts++; asm volatile("" ::: "memory"); return calls + limit; }
__attribute__((noinline)) void nest(int levels) { depth++; if (levels > 0) nest(levels - 1); depth--; asm volatile("" ::: "memory"); }
}

int main() {
  outer(5);
  add(0);
  outer(-2);
  tune(150);
  tune(150);
  name("second");
  counted();
  counted();
  nest(2);
  std::thread other([] { nest(1); add(10); });
  other.join();
  Meter a(1), b(2);
  a.set(10);
  b.set(20);
  a.get();
  b.get();
  a.set(11);
  std::printf("total %ld rate %d gain %g label %s hidden %d accounts %d\n", total, gConfig.audio.rate, gConfig.audio.gain, label.c_str(), hidden, bank::accounts);
  return wild == nullptr || none != nullptr;
}
