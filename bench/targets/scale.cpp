// A unit with the debug information of much of the C++ library; linked many times with other names it is a large program.
#include <bits/stdc++.h>

namespace tag000 {
template <int N> struct Row {
  int value = N;
  std::map<int, std::string> names;
  int sum(int a) { return a + value + (int)names.size(); }
};
template <int N> int fold(std::vector<Row<N>> &rows)
{
  int s = 0;
  for (auto &r : rows) s += r.sum(N);
  return s;
}
template <int... N> int all(std::integer_sequence<int, N...>)
{
  int s = 0;
  ((s += [] { std::vector<Row<N>> v(1); return fold<N>(v); }()), ...);
  return s;
}
std::regex pattern("a+b");
std::function<int(int)> call = [](int x) { return x; };
int run()
{
  std::unordered_map<std::string, std::vector<int>> m;
  m["x"].push_back(1);
  std::set<std::string> s;
  s.insert("q");
  std::deque<double> d;
  d.push_back(1);
  std::variant<int, std::string> v = 1;
  std::optional<std::string> o;
  std::thread t([] {});
  t.join();
  return all(std::make_integer_sequence<int, 60>{}) + (int)m.size();
}
int kept = run();
} // namespace tag000
