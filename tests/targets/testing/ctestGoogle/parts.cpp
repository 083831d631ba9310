// A name that the standard library has too (get), and two expectations that fail.
#include "parts.hpp"

namespace std_like {
std::vector<Part> split(const std::string &text) {
  std::vector<Part> parts;
  std::size_t from = 0;
  while (from <= text.size()) {
    std::size_t to = text.find(',', from);
    if (to == std::string::npos) to = text.size();
    const std::string one = text.substr(from, to - from);
    const std::size_t equals = one.find('=');
    parts.emplace_back(one.substr(0, equals),
                       equals == std::string::npos ? 0 : std::stoi(one.substr(equals + 1)));
    from = to + 1;
  }
  return parts;
}

int get(const std::vector<Part> &parts, const std::string &name) {
  for (const Part &part : parts)
    if (std::get<0>(part) == name) return std::get<1>(part) + 1;
  return -1;
}

int total(const std::vector<Part> &parts) {
  int sum = 0;
  for (const Part &part : parts) sum += get(parts, std::get<0>(part));
  return sum;
}
}  // namespace std_like
