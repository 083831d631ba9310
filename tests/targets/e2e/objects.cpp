// Objects behind pointers and references: own and inherited fields, structures inside, text and lists, null and wild pointers.
#include <cstdint>
#include <string>
#include <vector>

#define OWN __attribute__((noinline))

namespace bank {
enum class State { open, frozen };
struct Address {
  int zip;
  const char *street;
};
struct Base {
  virtual ~Base() = default;
  std::uint32_t id = 7;
};
struct Account : Base {
  std::string owner = "Ada Lovelace, Countess of Lovelace, London";
  std::int64_t cents = -250;
  double rate = 0.5;
  bool locked = false;
  State state = State::open;
  Address home{4051, "Main"};
  std::vector<int> history{1, 2, 3};
  Account *parent = nullptr;
  OWN bool withdraw(std::int64_t amount) {
    cents -= amount;
    history.push_back(static_cast<int>(amount));
    state = cents < -1000 ? State::frozen : state;
    return cents > -1000;
  }
};
struct Login {
  int id = 3;
  std::string password = "hunter2";
};
OWN int transfer(const Account &from, Account *to, int amount) {
  return static_cast<int>(from.cents) + (to ? static_cast<int>(to->cents) : 0) + amount;
}
OWN int count(const std::vector<Address> &all) { return static_cast<int>(all.size()); }
OWN int check(const Login *login) { return login->id; }
OWN bool isNear(const Address *where) { return where == reinterpret_cast<const Address *>(16); }
}  // namespace bank

int main() {
  bank::Account account, other;
  other.owner = "Bob";
  other.parent = &account;
  bank::Login login;
  account.withdraw(100);
  account.withdraw(900);
  int sum = bank::transfer(account, &other, 5) + bank::transfer(other, nullptr, 6) +
            bank::check(&login) + bank::count({{1, "a"}, {2, "b"}}) + bank::isNear(reinterpret_cast<const bank::Address *>(16));
  return sum == 12345;
}
