// Dies with locals of the library's maps, lists, choices and owners: what a debugger shows of them is to be shown.
#include <array>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

struct Point { int x, y; };
struct Named { int id; std::string name; std::optional<double> rate; };

__attribute__((noinline)) void keep(const void *) { __asm__ volatile("" ::: "memory"); }
template <class... All> void keepAll(const All &...all) { (keep(&all), ...); }

__attribute__((noinline)) int inner(const int *nothing) { return *nothing; }

int main() {
  std::map<int, std::string> names{{3, "three"}, {1, "one"}, {200, "a text that is longer than a short string"}};
  std::map<std::string, Named> byName{{"ann", {1, "ann", 0.5}}, {"bob", {2, "bob", std::nullopt}}};
  std::set<short> marks{5, -3, 4};
  std::unordered_map<std::string, long> counts{{"tea", 250}, {"cake", 1L << 40}};
  std::unordered_set<int> seen{7, 70, 700};
  std::list<Point> path{{1, 2}, {-3, 4}};
  std::deque<long> waiting{10, 20, 30};
  waiting.push_front(-1);
  std::vector<std::vector<int>> rows{{1, 2}, {}, {3}};
  std::vector<bool> bits{true, false, true};
  std::array<float, 3> shares{0.25f, 0.5f, -1.0f};
  std::tuple<int, std::string, double> row{8, "eight", 8.5};
  std::pair<Point, std::string> place{{6, 7}, "here"};
  std::optional<Named> someone = Named{4, "dan", 1e-3}, nobody;
  std::variant<int, std::string> word = "a word", number = 12;
  std::unique_ptr<Named> owned = std::make_unique<Named>(Named{9, "eve", 2.0});
  std::shared_ptr<Point> shared = std::make_shared<Point>(Point{11, 12});
  std::weak_ptr<Point> watching = shared;
  std::string_view part = std::string_view("the middle of it").substr(4, 6);
  keepAll(names, byName, marks, counts, seen, path, waiting, rows, bits, shares, row, place, someone, nobody, word, number);
  keepAll(owned, shared, watching, part);
  int got = inner(nullptr);
  keepAll(names, byName, marks, counts, seen, path, waiting, rows, bits, shares, row, place, someone, nobody, word, number);
  keepAll(owned, shared, watching, part);
  return got;
}
