// shop MODE: two worker threads settle carts for customers; "bad" breaks a discount, "crash" reads no catalogue.
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace shop {

struct Item {
  std::string name;
  int cents;
  int count;
};

struct Customer {
  int id;
  std::string name;
  std::string password;
  int balance;
};

class Cart {
 public:
  explicit Cart(int id) : id_(id) {}
  void add(const Item &item) { items_.push_back(item); }
  void add(Item &&item) { items_.push_back(std::move(item)); }
  void discount(const std::string &name, int percent) { discounts_[name] = percent; }
  int total() const {
    int sum = 0;
    for (const Item &item : items_) {
      int cents = item.cents * item.count;
      auto found = discounts_.find(item.name);
      if (found != discounts_.end()) cents -= cents * found->second / 100;
      sum += cents;
    }
    return sum;
  }
  int id() const { return id_; }

 private:
  std::vector<Item> items_;
  std::map<std::string, int> discounts_;
  int id_;
};

struct Catalogue {
  int prices[4];
};

int price(const Catalogue *catalogue, int which) { return catalogue->prices[which % 4]; }

std::mutex ledger;

int charge(Customer &customer, int cents) {
  if (cents < 0) throw std::invalid_argument("negative amount");
  std::lock_guard<std::mutex> lock(ledger);
  customer.balance -= cents;
  return customer.balance;
}

int checkout(Customer &customer, const Cart &cart) {
  int total = cart.total();
  if (total > customer.balance) return -1;
  return charge(customer, total);
}

int settle(int batch, const Catalogue *catalogue, bool bad) {
  Customer customer{batch, batch % 2 ? "Ada" : "Bob", "hunter2", 100000};
  int failed = 0;
  for (int i = 0; i < 12; i++) {
    Cart cart(batch * 100 + i);
    cart.add({"tea", price(catalogue, i), 2});
    cart.add({"mug", price(catalogue, i + 1), 1});
    if (i % 4 == 3) cart.discount("tea", bad ? 300 : 30);
    try {
      if (checkout(customer, cart) < 0) failed++;
    } catch (const std::exception &error) {
      failed++;
      printf("batch %d cart %d failed: %s\n", batch, cart.id(), error.what());
    }
  }
  printf("batch %d: balance %d, %d failed\n", batch, customer.balance, failed);
  return failed;
}

}  // namespace shop

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "good";
  static shop::Catalogue catalogue{{120, 250, 80, 999}};
  const shop::Catalogue *prices = strcmp(mode, "crash") == 0 ? nullptr : &catalogue;
  bool bad = strcmp(mode, "bad") == 0;
  std::vector<std::thread> workers;
  for (int i = 0; i < 2; i++) workers.emplace_back([=] { shop::settle(i, prices, bad); });
  for (std::thread &worker : workers) worker.join();
  printf("done\n");
  return 0;
}
