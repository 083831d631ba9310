// Texts that were never made: where they say they lie is the end of all memory. The program itself does not look there.
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

__attribute__((noinline)) int named(const std::string &text) { return text.empty() ? 1 : 2; }
__attribute__((noinline)) int viewed(const std::string_view &text) { return text.size() > 10 ? 1 : 2; }

int main() {
  alignas(std::string) unsigned char room[sizeof(std::string)];
  int sum = 0;
  for (unsigned long pointer : {~0ul, ~0ul - 7, ~0ul - 15}) {
    for (unsigned long length : {1ul, 8ul, 16ul, 20ul}) {
      unsigned long words[4] = {pointer, length, 0, 0};
      std::memcpy(room, words, sizeof room);
      sum += named(*reinterpret_cast<std::string *>(room));
      sum += viewed(std::string_view(reinterpret_cast<const char *>(pointer), length));
    }
  }
  std::printf("%d\n", sum);
}
