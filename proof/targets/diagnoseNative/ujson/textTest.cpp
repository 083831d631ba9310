#include <gtest/gtest.h>
#include <cstdlib>
#include <string>
extern "C" {
#include "ultrajson.h"
}

namespace {

JSOBJ newText(void *, wchar_t *start, wchar_t *end) { return new std::wstring(start, end); }
void release(void *, JSOBJ object) { delete static_cast<std::wstring *>(object); }

std::wstring read(const std::string &json) {
  JSONObjectDecoder decoder{};
  decoder.newString = reinterpret_cast<decltype(decoder.newString)>(newText);
  decoder.releaseObject = release;
  decoder.malloc = std::malloc;
  decoder.free = std::free;
  decoder.realloc = std::realloc;
  auto *text = static_cast<std::wstring *>(JSON_DecodeObject(&decoder, json.data(), json.size()));
  std::wstring copy = text ? *text : L"(nothing)";
  delete text;
  return copy;
}

}  // namespace

TEST(Text, IsReadAsItIs) { EXPECT_EQ(read("\"a\\u0062c\""), L"abc"); }

// CVE-2022-31116: a lone surrogate must stay, and what follows it too.
TEST(Text, KeepsWhatFollowsALoneSurrogate) { EXPECT_EQ(read("\"\\ud800\\u0041b\"").size(), 3u); }
