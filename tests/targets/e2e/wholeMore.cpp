// More C++ library types, wide text and look-alikes of copied classes; each function prints what it got as a line of JSON.
#include <atomic>
#include <bitset>
#include <chrono>
#include <complex>
#include <cstdio>
#include <deque>
#include <functional>
#include <initializer_list>
#include <list>
#include <map>
#include <mutex>
#include <pthread.h>
#include <set>
#include <shared_mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#if defined(__clang__)
#define OWN __attribute__((noinline, weak))
#else
#define OWN __attribute__((noipa))
#endif
using std::printf, std::string;

namespace whole {
struct Named { int id; };
struct Tagged { int id; long tag; };
struct Both : Named, Tagged { int own; };
/** Converted from others of the same template, which copies nothing. */
template <class Unit> struct Length {
  double value;
  explicit Length(double v) : value(v) {}
  template <class Other> Length(const Length<Other> &other) : value(other.value * 2) {}
};
struct Metre {};
struct Foot {};
struct Lost : std::runtime_error {
  int code;
  Lost(const char *what, int c) : std::runtime_error(what), code(c) {}
};

OWN void numbers(std::complex<double> z, const std::complex<float> &w, Length<Metre> length, int after) {
  printf("numbers {\"z\":{\"re\":%g,\"im\":%g},\"w\":{\"re\":%g,\"im\":%g},\"length\":{\"value\":%g},\"after\":%d}\n", z.real(), z.imag(), w.real(), w.imag(), length.value, after);
}
OWN std::complex<float> turn(std::chrono::steady_clock::time_point at, std::chrono::duration<long, std::milli> wait) {
  printf("turn {\"at\":\"%lld ns\",\"wait\":\"%ld ms\",\"return\":{\"re\":1,\"im\":-2}}\n", static_cast<long long>(at.time_since_epoch().count()), wait.count());
  return {1, -2};
}
OWN void wide(const std::wstring &w, std::u16string u, const std::u32string &x, const wchar_t *text, const char16_t *half, std::u8string bytes, wchar_t letter) {
  printf("wide {\"w\":\"%ls\",\"u\":\"longer than its own room é\",\"x\":\"x😀\",\"text\":\"plain\",\"half\":\"half 😀\",\"bytes\":\"naïve\",\"letter\":\"%lc\"}\n", w.c_str(), static_cast<wint_t>(letter));
  asm volatile("" : : "r"(&u), "r"(&x), "r"(text), "r"(half), "r"(&bytes) : "memory");
}
OWN void rows(const std::vector<std::vector<int>> &grid, std::initializer_list<int> list, std::bitset<10> few, const std::bitset<70> &many) {
  printf("rows {\"grid\":[[%d],[%d,%d]],\"list\":[%d,%d],\"few\":\"%s\",\"many\":\"%s\"}\n", grid[0][0], grid[1][0], grid[1][1], list.begin()[0], list.begin()[1], few.to_string().c_str(), many.to_string().c_str());
}
OWN void others(const std::runtime_error &error, const Lost &lost, std::reference_wrapper<long> ref, const std::atomic<double> &share, Both both) {
  printf("others {\"error\":{\"what\":\"%s\"},\"lost\":{\"what\":\"%s\",\"code\":%d},\"ref\":%ld,\"share\":%g,\"both\":{\"Named::id\":%d,\"Tagged::id\":%d,\"tag\":%ld,\"own\":%d}}\n", error.what(), lost.what(), lost.code, ref.get(), share.load(), both.Named::id,
         both.Tagged::id, both.tag, both.own);
}
OWN void late(int a, int b, int c, int d, int e, int f, std::span<const int> ints, std::string_view view, string text) {
  printf("late {\"a\":%d,\"b\":%d,\"c\":%d,\"d\":%d,\"e\":%d,\"f\":%d,\"ints\":[%d,%d],\"view\":\"%.10s\",\"text\":\"%s\"}\n", a, b, c, d, e, f, ints[0], ints[1], view.data(), text.c_str());
}
struct Locks {
  std::mutex m;
  std::shared_mutex s;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t p = PTHREAD_MUTEX_INITIALIZER;
};
OWN void waits(const Locks &locks, const std::recursive_timed_mutex &again) {
  puts("waits {\"locks\":{\"m\":{\"locked\":0,\"owner\":0},\"s\":{\"readers\":1,\"writer\":0},\"c\":{\"waiters\":0},\"p\":{\"locked\":0,\"owner\":0}},\"again\":{\"locked\":0,\"owner\":0}}");
  asm volatile("" : : "r"(&locks), "r"(&again) : "memory");
}
struct Places {
  std::list<string>::iterator listed;
  std::unordered_map<int, int>::const_iterator hashed;
  std::vector<long>::iterator next;
};
OWN std::set<int>::const_iterator iterators(const std::map<string, std::list<string>::iterator> &where, const Places &places, std::deque<int>::iterator at, std::set<int> &numbers) {
  puts("iterators {\"where\":{\"a\":\"an address\",\"end\":\"an address\"},\"places\":{\"listed\":\"an address\",\"hashed\":\"an address\",\"next\":\"an address\"},\"at\":\"an address\",\"numbers\":[3,4],\"return\":\"an address\"}");
  asm volatile("" : : "r"(&where), "r"(&places), "r"(&at) : "memory");
  return numbers.find(4);
}
}  // namespace whole

int main() {
  using namespace whole;
  long number = 12;
  int pair[] = {4, -4};
  std::atomic<double> share{0.25};
  Both both;
  both.Named::id = 1, both.Tagged::id = 2, both.tag = 3, both.own = 4;
  numbers({1.5, -2.5}, std::complex<float>(3, 4), Length<Foot>(2.25), 9);
  auto at = std::chrono::steady_clock::time_point(std::chrono::seconds(5));
  turn(at, std::chrono::milliseconds(250));
  wide(L"wide", u"longer than its own room é", U"x😀", L"plain", u"half 😀", u8"naïve", L'w');
  rows({{1}, {2, -3}}, {4, 5}, std::bitset<10>(0b1010000001), std::bitset<70>(5));
  others(std::runtime_error("it says so"), Lost("not there", 7), std::ref(number), share, both);
  Locks locks;
  locks.s.lock_shared();
  waits(locks, std::recursive_timed_mutex());
  std::list<string> texts{"x", "y"};
  std::unordered_map<int, int> hashes{{1, 2}};
  std::vector<long> longs{5};
  std::deque<int> queue{6};
  std::set<int> set{3, 4};
  iterators({{"a", texts.begin()}, {"end", texts.end()}}, {texts.begin(), hashes.cbegin(), longs.begin()}, queue.begin(), set);
  late(1, 2, 3, 4, 5, 6, pair, "view of it", "by value");
}
