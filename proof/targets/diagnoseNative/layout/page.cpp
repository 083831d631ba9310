#include "layout.hpp"

std::string justified(const Line &line, const Style &style) {
  std::string text(style.indent, style.fill);
  for (int at = 0; at < (int)line.words.size(); at++)
    text += line.words[at] + std::string(gapAfter(line, at), style.fill);
  return text;
}

std::string page(const std::string &text, const Style &style) {
  std::string out;
  for (const Line &line : broken(wordsOf(text), style)) {
    if (!out.empty()) out += "\n";
    out += justified(line, style);
  }
  return out;
}
