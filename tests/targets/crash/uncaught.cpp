// An exception that nobody catches, thrown three calls deep.
#include <cstdio>
#include <stdexcept>
#include <string>

__attribute__((noinline)) int parse(const std::string &text) {
  if (text.find_first_not_of("0123456789") != std::string::npos)
    throw std::invalid_argument("not a number: " + text);
  return std::stoi(text);
}
__attribute__((noinline)) int sum(const char *const *texts, int count) {
  int total = 0;
  for (int i = 0; i < count; i++) total += parse(texts[i]);
  return total;
}
int main() {
  const char *texts[] = {"1", "2", "3x"};
  printf("%d\n", sum(texts, 3));
}
