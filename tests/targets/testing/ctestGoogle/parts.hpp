#pragma once
#include <string>
#include <tuple>
#include <vector>

namespace std_like {
using Part = std::tuple<std::string, int>;
std::vector<Part> split(const std::string &text);
int get(const std::vector<Part> &parts, const std::string &name);
int total(const std::vector<Part> &parts);
}  // namespace std_like
