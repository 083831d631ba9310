#include "calc.hpp"
#include <cctype>

static size_t endOf(const std::string &text, size_t from, bool (*belongs)(char)) {
  while (from < text.size() && belongs(text[from])) from++;
  return from;
}

static bool isDigit(char letter) {
#if FAULT == 2
  return std::isdigit((unsigned char)letter);
#else
  return std::isdigit((unsigned char)letter) || letter == '.';
#endif
}

static bool isLetter(char letter) { return std::isalpha((unsigned char)letter) || letter == '_'; }

std::vector<Token> tokens(const std::string &text) {
  std::vector<Token> found;
  for (size_t at = 0; at < text.size();) {
    size_t from = at;
    if (text[at] == ' ') {
      at++;
      continue;
    }
    if (isDigit(text[at])) {
      at = endOf(text, at, isDigit);
      found.push_back({Kind::number, text.substr(from, at - from)});
    } else if (isLetter(text[at])) {
      at = endOf(text, at, isLetter);
      found.push_back({Kind::name, text.substr(from, at - from)});
    } else {
      found.push_back({Kind::sign, text.substr(at++, 1)});
    }
  }
  found.push_back({Kind::end, ""});
  return found;
}
