// Objects that own many others, several pointers deep; each function prints what it got as a line of JSON.
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace far {
struct Item {
  int id;
  double price;
  std::string name;
  Item *next;
};
struct Shop {
  int number;
  std::string name;
  std::vector<Item> items;
  std::vector<Item *> pointers;
  std::map<int, std::string> names;
  std::list<Item> queue;
  std::deque<Item> lane;
  std::unordered_map<std::string, Item> byName;
  std::shared_ptr<Item> best;
  Shop *self;
  [[gnu::noipa]] int count() const;
};

static std::string json(const Item &item, int most = 9) {
  std::string next = item.next && most > 0 ? json(*item.next, most - 1) : "null";
  return "{\"id\":" + std::to_string(item.id) + ",\"price\":" + std::to_string(item.price) + ",\"name\":\"" + item.name + "\",\"next\":" + next + "}";
}
template <class Items, class Get> static std::string list(const Items &items, Get get) {
  std::string out;
  for (const auto &item : items) out += (out.empty() ? "" : ",") + get(item);
  return "[" + out + "]";
}
template <class Items, class Get> static std::string object(const Items &items, Get get) {
  std::string out;
  for (const auto &item : items) out += (out.empty() ? "" : ",") + get(item);
  return "{" + out + "}";
}
static std::string json(const Shop &shop) {
  auto own = [](const Item &item) { return json(item); };
  return "{\"number\":" + std::to_string(shop.number) + ",\"name\":\"" + shop.name + "\",\"items\":" + list(shop.items, own) +
         ",\"pointers\":" + list(shop.pointers, [](const Item *item) { return json(*item); }) +
         ",\"names\":" + object(shop.names, [](const auto &one) { return "\"" + std::to_string(one.first) + "\":\"" + one.second + "\""; }) +
         ",\"queue\":" + list(shop.queue, own) + ",\"lane\":" + list(shop.lane, own) +
         ",\"byName\":" + object(shop.byName, [](const auto &one) { return "\"" + one.first + "\":" + json(one.second); }) +
         ",\"best\":" + (shop.best ? json(*shop.best) : "null") + "}";
}
int Shop::count() const {
  std::printf("count {\"this\":%s}\n", json(*this).c_str());
  return number;
}
[[gnu::noipa]] int chain(const Item *first) {
  std::printf("chain {\"first\":%s}\n", json(*first).c_str());
  return first->id;
}
[[gnu::noipa]] int every(const std::map<int, Item *> &items) {
  std::printf("every {\"items\":%s}\n", object(items, [](const auto &one) { return "\"" + std::to_string(one.first) + "\":" + json(*one.second); }).c_str());
  return static_cast<int>(items.size());
}
}  // namespace far

int main() {
  static far::Item kept[40];
  std::map<int, far::Item *> all;
  for (int i = 0; i < 40; i++) {
    kept[i] = {i, i + 0.5, "item number " + std::to_string(i), i % 4 == 3 ? nullptr : &kept[i + 1]};
    all[i] = &kept[i];
  }
  // Without containers first, then one with one element each, then with many, whose buffers do not begin at their first.
  for (int size : {0, 1, 30}) {
    far::Shop shop{size, "shop with a name of its own that is on the heap", {}, {}, {}, {}, {}, {}, nullptr, nullptr};
    shop.self = &shop;
    for (int i = 0; i < 5 && size > 1; i++) shop.lane.push_back(kept[i]);
    for (int i = 0; i < size; i++) {
      shop.items.push_back(kept[i]);
      shop.pointers.push_back(&kept[i]);
      shop.names[i] = "name number " + std::to_string(i) + ", on the heap";
      shop.queue.push_back(kept[i]);
      shop.lane.push_back(kept[i]);
      if (size > 1 && i < 5) shop.lane.pop_front();
      shop.byName["key " + std::to_string(i)] = kept[i];
      shop.best = std::make_shared<far::Item>(kept[i]);
    }
    shop.count();
  }
  far::chain(&kept[4]);
  far::every(all);
}
