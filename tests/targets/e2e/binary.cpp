// Text and data in the types that hold both, as parameters, results and inside structures.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#define OWN __attribute__((noipa))

static const unsigned char png[24] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13,
                                      'I', 'H', 'D', 'R', 0, 0, 1, 0, 0, 0, 1, 0};

struct Packet {
  char id[8];
  uint8_t digest[16];
  std::string body;
  std::vector<std::byte> raw;
  std::map<std::string, int> sizes;
};

namespace data {
OWN size_t text(const std::string& s) { return s.size(); }
OWN size_t owned(std::string s) { return s.size(); }
OWN size_t view(std::string_view s) { return s.size(); }
OWN size_t chars(const char* s) { return s ? *s != 0 : 0; }
OWN size_t bytes(const std::vector<uint8_t>& b) { return b.size(); }
OWN size_t signedBytes(const std::vector<int8_t>& b) { return b.size(); }
OWN size_t letters(const std::vector<char>& b) { return b.size(); }
OWN size_t fixed(const std::array<uint8_t, 12>& b) { return b[0]; }
OWN size_t queue(const std::deque<uint8_t>& b) { return b.size(); }
OWN size_t packet(const Packet& p) { return p.body.size(); }
OWN size_t raw(const void* r, size_t size) { return r ? size : 0; }
OWN size_t row(const unsigned char* r, unsigned long length) { return r[0] + length; }
OWN std::string give(size_t n) { return std::string(reinterpret_cast<const char*>(png), n); }
}  // namespace data

namespace pairs {
OWN size_t alike(const std::string& s) { return s.size(); }
}  // namespace pairs

int main() {
  const std::string image(reinterpret_cast<const char*>(png), sizeof png);
  const std::string large = image + std::string(3000, '\x80');
  for (const auto& s : {image, large, std::string("plain"), std::string("caf\xc3\xa9 \xe2\x82\xac\n"),
                        std::string("a\0b", 3), std::string("M\xfcller"), std::string("\x1b[31mred\x1b[0m"),
                        std::string("\x03"), std::string(2, '\0'), std::string(12, '\0')}) {
    data::text(s);
    data::owned(s);
    data::view(s);
    data::chars(s.c_str());
  }
  std::string cut(1023, 'x');
  data::text(cut + "\xe2\x82\xac\xe2\x82\xac");
  data::bytes({image.begin(), image.end()});
  data::bytes({1, 2, 3, 250});
  const std::string request = "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n";
  data::bytes({request.begin(), request.end()});
  data::bytes(std::vector<uint8_t>(5000, 0xff));
  data::raw(png, sizeof png);
  data::row(reinterpret_cast<const unsigned char*>("no end"), 2);
  data::signedBytes({-1, -2, -3, 4, 5, 6, 7, 8, 9, 10});
  data::letters({request.begin(), request.end()});
  data::letters({image.begin(), image.end()});
  data::letters({'o', 'k'});
  data::fixed({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  data::queue({image.begin(), image.end()});
  Packet p{{1, 2, 3, 4, 5, 0, 7, 8}, {}, image, {}, {{image, 1}, {image + "\x01", 2}}};
  for (int i = 0; i < 16; i++) p.digest[i] = static_cast<uint8_t>(i * 17);
  for (unsigned char c : image) p.raw.push_back(static_cast<std::byte>(c));
  data::packet(p);
  for (int i = 0; i < 400; i++) pairs::alike(i % 2 ? "\xfe\xff" : "\xff\xfe");
  data::give(24);
  data::give(4);
}
