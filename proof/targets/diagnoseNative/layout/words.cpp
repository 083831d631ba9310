#include "layout.hpp"

std::vector<std::string> wordsOf(const std::string &text) {
  std::vector<std::string> words;
  std::string word;
  for (char letter : text) {
    if (letter == ' ' || letter == '\n') {
      if (!word.empty()) words.push_back(word);
      word.clear();
    } else {
      word += letter;
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

int lengthOf(const std::vector<std::string> &words) {
  int length = 0;
  for (const std::string &word : words) length += word.size();
#if FAULT == 1
  return length + (int)words.size();
#else
  return words.empty() ? 0 : length + (int)words.size() - 1;
#endif
}
