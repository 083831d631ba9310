// Names of every shape: namespaces, templates, operators, lambdas, local classes, inlined calls.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>
namespace {
struct Hidden {
  int value;
  int get(int scale) const;
};
int Hidden::get(int scale) const { return value * scale; }
__attribute__((noinline)) int loose(int seed) { return seed + 1; }
} // namespace
namespace bank {
inline namespace v2 {
class Account {
public:
  explicit Account(long start) : balance(start) {}
  ~Account();
  long deposit(long amount);
  long deposit(const std::string &text);
  bool operator<(const Account &other) const;
  long operator()(long amount) { return deposit(amount); }
  explicit operator bool() const { return balance != 0; }
  static Account open(long start) { return Account(start); }
  struct Limits { long most; long check(long amount) const; };
private:
  long balance;
};
Account::~Account() { balance = 0; }
long Account::deposit(long amount) { return balance += amount; }
long Account::deposit(const std::string &text) { return deposit(std::stol(text)); }
bool Account::operator<(const Account &other) const { return balance < other.balance; }
long Account::Limits::check(long amount) const { return std::min(amount, most); }
} // namespace v2
template <class T, int N> struct Stack {
  T items[N];
  int used = 0;
  __attribute__((noinline)) void push(const T &item) { items[used++ % N] = item; }
};
template <class T> __attribute__((noinline)) T twice(T value) { return value + value; }
static inline int tiny(int x) { return x * 3; }
} // namespace bank
__attribute__((noinline)) static int unlikely(int code) {
  if (__builtin_expect(code < 0, 0)) { std::fprintf(stderr, "cold %d\n", code); throw code; }
  return bank::tiny(code);
}
extern "C" int plain_c(int a, double b) { return a + static_cast<int>(b); }
int main(int argc, char **argv) {
  bank::Account account(argc);
  auto add = [&account](long amount) { return account.deposit(amount); };
  struct Local { int run(int x) { return x + 1; } };
  bank::Stack<int, 4> stack;
  stack.push(bank::twice(2));
  std::vector<int> order{3, 1, 2};
  std::sort(order.begin(), order.end(), [](int a, int b) { return a > b; });
  Hidden hidden{argc};
  bank::Account other = bank::Account::open(2);
  return int(add(1) + account(2) + account.deposit(std::string("3")) + hidden.get(2) + loose(1) + Local().run(argc) + unlikely(argc)
      + bank::Account::Limits{3}.check(2) + (account < other) + plain_c(1, 2.0) + bool(account) + bank::twice(0.5) + stack.used) * (argv == nullptr);
}
