#include "layout.hpp"

static bool fits(const Line &line, const std::string &word, const Style &style) {
  std::vector<std::string> all = line.words;
  all.push_back(word);
  return lengthOf(all) + style.indent <= style.width;
}

std::vector<Line> broken(const std::vector<std::string> &words, const Style &style) {
  std::vector<Line> lines;
  Line line{{}, 0};
  for (const std::string &word : words) {
    if (!line.words.empty() && !fits(line, word, style)) {
      line.room = style.width - style.indent - lengthOf(line.words);
      lines.push_back(line);
      line = Line{{}, 0};
    }
    line.words.push_back(word);
  }
  lines.push_back(line);
  return lines;
}

int gapAfter(const Line &line, int at) {
  int gaps = (int)line.words.size() - 1;
  if (gaps <= 0 || at >= gaps) return 0;
  int each = line.room / gaps;
#if FAULT == 2
  int rest = line.room % (gaps + 1);
#else
  int rest = line.room % gaps;
#endif
  return 1 + each + (at < rest ? 1 : 0);
}
