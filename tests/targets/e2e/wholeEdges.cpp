// C++ values that are read wrongly by who guesses; each function prints what it got as a line of JSON.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <cxxabi.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>
#include <variant>

#if defined(__clang__)
#define OWN __attribute__((noinline, weak))
#else
#define OWN __attribute__((noipa))
#endif
#if defined(__clang__)
#define ENVIRONMENT "this"
#else
#define ENVIRONMENT "__closure"
#endif
using std::printf, std::string;

namespace whole {
struct Point { int x, y; };
struct Meter { int n, step; };
/** Leaves a variant without a value. */
struct Fails {
  string text;
  explicit Fails(int code) { throw code; }
};
string nameOf(const std::type_info &info) {
  int status = 0;
  std::unique_ptr<char, void (*)(void *)> name(abi::__cxa_demangle(info.name(), nullptr, nullptr, &status), free);
  return name.get();
}
OWN void owned(const std::unique_ptr<Point, void (*)(Point *)> &freed, std::unique_ptr<Point> &plain, const std::weak_ptr<Point> &gone) {
  printf("owned {\"freed\":{\"x\":%d,\"y\":%d},\"plain\":{\"x\":%d,\"y\":%d},\"gone\":{\"owners\":%ld,\"weak\":1}}\n", freed->x, freed->y, plain->x, plain->y, gone.use_count());
}
OWN int Meter::*members(int Meter::*first, int Meter::*second, int Meter::*none) {
  printf("members {\"first\":\"&Meter::n\",\"second\":\"&Meter::step\",\"none\":\"null\",\"return\":\"&Meter::n\"}\n");
  asm volatile("" : : "r"(second), "r"(none));
  return first;
}
OWN void texts(const string &zeros, std::string_view part, std::wstring_view wide, string value) {
  printf("texts {\"zeros\":\"\\u0000a\\u0000b\",\"part\":\"%.*s\",\"wide\":\"wi\",\"value\":\"v\\u0000\"}\n", static_cast<int>(part.size()), part.data());
  asm volatile("" : : "r"(&zeros), "r"(&wide), "r"(&value) : "memory");
}
OWN std::chrono::duration<double> times(std::chrono::duration<double> seconds, std::chrono::duration<int, std::ratio<1, 30>> frames, std::chrono::hours hours) {
  printf("times {\"seconds\":\"%g s\",\"frames\":\"%d × 1/30 s\",\"hours\":\"%d h\",\"return\":\"%g s\"}\n", seconds.count(), frames.count(), static_cast<int>(hours.count()), seconds.count() * 3);
  return seconds * 3;
}
OWN void shared(const std::atomic<Point> &point, const std::variant<int, Fails> &gone) {
  Point p;
  std::memcpy(&p, static_cast<const void *>(&point), sizeof p);
  printf("shared {\"point\":{\"x\":%d,\"y\":%d},\"gone\":\"%s\"}\n", p.x, p.y, gone.valueless_by_exception() ? "valueless" : "?");
}
OWN void errors(const std::logic_error &error) {
  printf("errors {\"error\":{\"class\":\"%s\",\"what\":\"%s\"}}\n", nameOf(typeid(error)).c_str(), error.what());
}
/** Of a lambda without a written result the debug information says `auto`. */
OWN void lambdas(int by) {
  string name = "kept";
  auto nothing = [by, name](int a) { printf("operator() {\"" ENVIRONMENT "\":{\"by\":%d,\"name\":\"%s\"},\"a\":%d}\n", by, name.c_str(), a); };
  void (decltype(nothing)::*volatile call)(int) const = &decltype(nothing)::operator();
  (nothing.*call)(3);
}
}  // namespace whole

int main() {
  using namespace whole;
  std::unique_ptr<Point, void (*)(Point *)> freed(new Point{5, 6}, [](Point *p) { delete p; });
  auto plain = std::make_unique<Point>(Point{7, 8});
  std::weak_ptr<Point> gone;
  { gone = std::make_shared<Point>(); }
  owned(freed, plain, gone);
  members(&Meter::n, &Meter::step, nullptr);
  texts(string("\0a\0b", 4), std::string_view("noted").substr(1, 3), L"wi", string("v\0", 2));
  times(std::chrono::duration<double>(1.5), std::chrono::duration<int, std::ratio<1, 30>>(60), std::chrono::hours(3));
  std::variant<int, Fails> empty;
  try { empty.emplace<1>(1); } catch (int) {}
  shared(std::atomic<Point>(Point{1, 2}), empty);
  errors(std::out_of_range("too far"));
  lambdas(4);
}
