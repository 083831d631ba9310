#pragma once
#include <string>
#include <vector>

struct Style {
  int width;
  int indent;
  char fill;
};

struct Line {
  std::vector<std::string> words;
  int room;
};

std::vector<std::string> wordsOf(const std::string &text);
int lengthOf(const std::vector<std::string> &words);
std::vector<Line> broken(const std::vector<std::string> &words, const Style &style);
int gapAfter(const Line &line, int at);
std::string justified(const Line &line, const Style &style);
std::string page(const std::string &text, const Style &style);
