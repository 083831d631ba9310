// C++ library types by value, reference and returned; each function prints what it got as a line of JSON.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#if defined(__clang__)
#define OWN __attribute__((noinline, weak))
#else
#define OWN __attribute__((noipa))
#endif
using std::printf, std::string;

namespace whole {
struct Item { string name; double price; };
OWN void choices(std::optional<int> some, std::optional<string> none, std::variant<int, string> either, std::tuple<int, string, double> three, std::pair<string, int> two) {
  printf("choices {\"some\":%d,\"none\":\"none\",\"either\":{\"basic_string\":\"%s\"},\"three\":{\"0\":%d,\"1\":\"%s\",\"2\":%g},\"two\":{\"first\":\"%s\",\"second\":%d}}\n", *some,
         std::get<1>(either).c_str(), std::get<0>(three), std::get<1>(three).c_str(), std::get<2>(three), two.first.c_str(), two.second);
}
OWN void owners(std::unique_ptr<Item> own, std::shared_ptr<Item> shared, const std::weak_ptr<Item> &weak) {
  printf("owners {\"own\":{\"name\":\"%s\",\"price\":%g},\"shared\":{\"name\":\"%s\",\"price\":%g,\"owners\":%ld,\"weak\":1},\"weak\":{\"owners\":%ld,\"weak\":1}}\n",
         own->name.c_str(), own->price, shared->name.c_str(), shared->price, shared.use_count(), weak.use_count());
}
OWN void trees(const std::map<int, string> &names, const std::set<string> &words, const std::multimap<string, Item> &items) {
  printf("trees {\"names\":{\"1\":\"%s\",\"5\":\"%s\",\"9\":\"%s\"},\"words\":[\"%s\",\"%s\"],\"items\":{\"k\":{\"name\":\"%s\",\"price\":%g}}}\n", names.at(1).c_str(), names.at(5).c_str(),
         names.at(9).c_str(), words.begin()->c_str(), words.rbegin()->c_str(), items.begin()->second.name.c_str(), items.begin()->second.price);
}
OWN void hashes(const std::unordered_map<string, int> &counts, const std::unordered_set<long> &seen, const std::unordered_map<int, Item> &none) {
  printf("hashes {\"counts\":{\"a\":%d,\"bb\":%d},\"seen\":[%ld],\"none\":{}}\n", counts.at("a"), counts.at("bb"), *seen.begin());
}
OWN void rows(const std::list<int> &list, const std::forward_list<short> &forward, const std::deque<long> &deque, const std::vector<Item> &items, std::array<int, 3> three, std::vector<string> words) {
  printf("rows {\"list\":[%d,%d],\"forward\":[%d,%d],\"deque\":[%ld,%ld,%ld],\"items\":[{\"name\":\"%s\",\"price\":%g}],\"three\":[%d,%d,%d],\"words\":[\"%s\",\"%s\"]}\n", list.front(), list.back(), forward.front(),
         *std::next(forward.begin()), deque[0], deque[1], deque[2], items[0].name.c_str(), items[0].price, three[0], three[1], three[2], words[0].c_str(), words[1].c_str());
}
OWN void simple(const std::atomic<int> &count, std::chrono::milliseconds wait, const std::filesystem::path &file, const std::vector<bool> &flags) {
  printf("simple {\"count\":%d,\"wait\":\"%ld ms\",\"file\":\"%s\",\"flags\":[%s,%s]}\n", count.load(), static_cast<long>(wait.count()), file.c_str(), flags[0] ? "true" : "false", flags[1] ? "true" : "false");
}
OWN std::optional<Item> find(const char *name) {
  printf("find {\"name\":\"%s\",\"return\":{\"name\":\"%s, found by its name\",\"price\":2.5}}\n", name, name);
  return Item{string(name) + ", found by its name", 2.5};
}
OWN std::map<string, int> tally(int most) {
  printf("tally {\"most\":%d,\"return\":{\"few\":1,\"most\":%d}}\n", most, most);
  return {{"most", most}, {"few", 1}};
}
}  // namespace whole

int main() {
  using namespace whole;
  auto shared = std::make_shared<Item>(Item{"shared item of a name that is long", 3.25});
  std::weak_ptr<Item> weak = shared;
  std::deque<long> deque = {0, 11, -12, 13};
  deque.pop_front();
  std::atomic<int> count{5};
  choices(-3, std::nullopt, string("var"), {1, "two", 2.5}, {"pair", 9});
  owners(std::make_unique<Item>(Item{"own", 4}), shared, weak);
  trees({{5, "five"}, {1, "one"}, {9, "a string beyond the short ones"}}, {"beta", "alpha"}, {{"k", {"tea", 1.5}}});
  hashes({{"a", 1}, {"bb", -2}}, {77}, {});
  rows({1, -2}, {3, -4}, deque, {{"tea", 1.5}}, {7, 8, 9}, {"x", "a word beyond the short ones"});
  simple(count, std::chrono::milliseconds(250), "/etc/hosts", {false, true});
  find("kettle");
  tally(12);
}
