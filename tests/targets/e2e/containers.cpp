// Text and lists in standard containers: by reference, by value, as views, empty, long, and returned.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#define OWN __attribute__((noinline))

namespace box {
struct Item {
  std::string name;
  std::int64_t price;
};
OWN std::size_t byReference(const std::string &name, int count) { return name.size() + count; }
OWN std::size_t byPointer(std::string *name) { return name ? name->size() : 0; }
OWN std::size_t byValue(std::string name, int count) { return name.size() + count; }
OWN std::size_t view(std::string_view part, int count) { return part.size() + count; }
OWN std::size_t late(int a, int b, int c, int d, int e, std::string_view part, const std::string &name) {
  return part.size() + name.size() + a + b + c + d + e;
}
OWN long sum(const std::vector<int> &numbers, std::string_view label) {
  long total = static_cast<long>(label.size());
  for (int number : numbers) total += number;
  return total;
}
OWN double mean(std::span<const double> rates) {
  double total = 0;
  for (double rate : rates) total += rate;
  return rates.empty() ? 0 : total / rates.size();
}
OWN std::size_t items(const std::vector<Item> &all) { return all.size(); }
OWN std::string join(const std::string &a, const std::string &b) { return a + "/" + b; }
OWN std::string_view head(std::string_view text) { return text.substr(0, 4); }
OWN const std::string &longer(const std::string &a, const std::string &b) {
  return a.size() > b.size() ? a : b;
}
OWN std::vector<std::uint8_t> bytes(int count) { return std::vector<std::uint8_t>(count, 7); }
}  // namespace box

int main() {
  std::string shortName = "tea", longName(1500, 'x'), empty;
  longName.replace(0, 10, "long text:");
  std::vector<int> numbers = {1, -2, 3}, many(1000, 5), none;
  std::vector<double> rates = {0.5, 1.5};
  std::vector<box::Item> all = {{"a", 1}, {"b", 2}};
  std::size_t check = box::byReference(shortName, 1) + box::byReference(longName, 2) +
                      box::byReference(empty, 3) + box::byPointer(&shortName) +
                      box::byPointer(nullptr) + box::byValue("by value", 4) +
                      box::view("naïve view", 5) + box::view({}, 6) +
                      box::late(1, 2, 3, 4, 5, "on stack", shortName);
  check += box::sum(numbers, "three") + box::sum(many, "many") + box::sum(none, "");
  check += static_cast<std::size_t>(box::mean(rates)) + box::items(all);
  check += box::join("left", "right").size() + box::head("headline").size();
  check += box::longer(shortName, longName).size() + box::bytes(3).size();
  return check == 0;
}
