#include "rota.hpp"

static std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const auto &name : names) text += (text.empty() ? "" : "+") + name;
  return text.empty() ? "-" : text;
}

std::string table(const Rota &rota, int from, int to) {
  std::string text;
  for (int hour = from; hour < to; hour += 4) text += (text.empty() ? "" : " ") + joined(rota.at(hour));
  return text;
}
