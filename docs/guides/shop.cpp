// The program of the guides: a small shop with a bug of each kind. Build: g++ -g -pthread -o shop shop.cpp
#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace shop {

struct Item {
  std::string name;
  int cents;
  int count;
};

int stock = 10;

int discount(int total, int percent) { return total - total * percent / 100; }

int shipping(int total) { return total > 5000 ? 0 : -490; }

int checkout(const std::vector<Item> &items) {
  int total = 0;
  for (const Item &item : items) total += item.cents * item.count;
  return discount(total, 10) + shipping(total);
}

const Item *find(const std::vector<Item> &items, const std::string &name) {
  for (const Item &item : items)
    if (item.name == name) return &item;
  return nullptr;
}

int priceOf(const std::vector<Item> &items, const std::string &name) {
  return find(items, name)->cents;
}

void sell(int count) { stock -= count; }

void audit() { stock = 0; }

int search(int wanted) {
  for (int at = 0; at < 20000; at++)
    if (at * 7 % 20011 == wanted) return at;
  return -1;
}

int look(int rounds) {
  int found = 0;
  for (int round = 0; round < rounds; round++) found += search(round * 31 % 20000) >= 0;
  return found;
}

int serve(int request) {
  std::this_thread::sleep_for(std::chrono::milliseconds(request % 10 == 0 ? 40 : 2));
  return request % 10 == 0 ? -1 : request;
}

std::mutex orders, payments;

void lockBoth(std::mutex &first, std::mutex &second) {
  std::lock_guard<std::mutex> one(first);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::lock_guard<std::mutex> two(second);
}

}  // namespace shop

int main(int argc, char **argv) {
  const std::string mode = argc > 1 ? argv[1] : "pay";
  const std::vector<shop::Item> items = {{"apple", 120, 10}, {"plum", 80, 5}};
  if (mode == "pay") std::printf("to pay: %d\n", shop::checkout(items));
  if (mode == "price") std::printf("%s: %d\n", argv[2], shop::priceOf(items, argv[2]));
  if (mode == "look") std::printf("found %d\n", shop::look(50));
  if (mode == "stock") {
    shop::sell(3);
    shop::audit();
    shop::sell(1);
    std::printf("left: %d\n", shop::stock);
  }
  if (mode == "hang") {
    std::thread other([] { shop::lockBoth(shop::payments, shop::orders); });
    shop::lockBoth(shop::orders, shop::payments);
    other.join();
  }
  if (mode == "serve")
    for (int request = 1; request < 2000; request++) shop::serve(request);
}
