// Dies with locals of every kind in three frames, one of them inlined: what a debugger shows of them is to be shown.
#include <cstdint>
#include <string>
#include <vector>

enum Colour { red, green = 5, blue };
enum class Level : signed char { low = -2, high = 7 };
struct Point { double x, y; };
struct Base { int id; long weight; };
struct Account : Base {
  std::string owner;
  float rate;
  bool isOpen;
  char grade;
  Level level;
  Point at;
  int history[4];
  const Account *parent;
};
union Word { int number; float fraction; };
struct Flags { unsigned ready : 1, mode : 3; int delta : 6; unsigned char rest; };

__attribute__((noinline)) void keep(const void *) { __asm__ volatile("" ::: "memory"); }
template <class... All> void keepAll(const All &...all) { (keep(&all), ...); }

__attribute__((noinline)) int inner(const Account &account, float share, double sum, bool isLast, char mark, Colour colour,
                                    Level level, const char *text, const int *nothing) {
  int8_t small = -8;
  uint64_t large = 0xffffffffffffffffu;
  short table[2][3] = {{1, -2, 3}, {4, 5, -6}};
  Point points[2] = {{0.1, -0.0}, {1e300, 1.0 / 3}};
  keepAll(small, large, table, points, share, sum, isLast, mark, colour, level, text);
  int value = *nothing;
  keepAll(account, share, sum, isLast, mark, colour, level, text, small, large, table, points);
  return value;
}
__attribute__((always_inline)) inline int middle(const std::vector<Account> &accounts, double sum) {
  std::string title = "the title that is longer than a short string";
  std::vector<double> rates{0.25, -1.5, 3e-9};
  Word word;
  word.fraction = 2.5f;
  Flags flags{1, 5, -7, 200};
  wchar_t wide = L'\u00e9', letters[8] = L"gr\u00f6\u00dfe";
  void (*callback)(const void *) = keep;
  keepAll(title, rates, word, flags, wide, letters, callback);
  int got = inner(accounts[1], 0.1f, sum, true, 'q', blue, Level::low, "a text", nullptr);
  keepAll(title, rates, word, flags, wide, letters, callback);
  return got;
}
int main() {
  std::vector<Account> accounts(2);
  std::string names[2] = {"ann", ""};
  accounts[0] = {{1, -5}, names[0], 1.25f, true, 'a', Level::high, {1.5, 2.5}, {1, 2, 3, 4}, nullptr};
  accounts[1] = {{2, 1L << 40}, "bob", -0.5f, false, '\n', Level::low, {-1, 0}, {-1, 0, 7, 9}, &accounts[0]};
  float none = 0.0f;
  double sum = 12.75;
  const Colour colour = green;
  keepAll(accounts, names, none, sum, colour);
  int got = middle(accounts, sum);
  keepAll(accounts, names, none, sum, colour);
  return got;
}
