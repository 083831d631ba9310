// Objects of derived classes seen through bases, virtual and repeated bases; each function prints what it got as a line of JSON.
#include <cstdio>
#include <cxxabi.h>
#include <memory>
#include <string>
#include <typeinfo>

#if defined(__clang__)
#define OWN __attribute__((noinline, weak))
#else
#define OWN __attribute__((noipa))
#endif
using std::printf, std::string;

namespace zoo {
struct Animal {
  int legs;
  explicit Animal(int l) : legs(l) {}
  virtual ~Animal() = default;
  virtual int pace() const { return legs; }
  /** Of the class it is of, the fields that are not those of Animal. */
  virtual string rest() const { return ""; }
  OWN int stepped(int by) const { return legs * by; }
};
struct Named {
  string name = "rex";
  virtual ~Named() = default;
};
template <class Food> struct Dog : Animal, Named {
  Food food{};
  Dog() : Animal(4) {}
  string rest() const override { return ",\"name\":\"" + name + "\",\"food\":" + std::to_string(food); }
};
namespace {
struct Ant final : Animal {
  Ant() : Animal(6) {}
};
}  // namespace
struct Body {
  int mass = 7;
  string kind = "a body of a longer kind";
  virtual ~Body() = default;
};
struct Swims : virtual Body { int depth = 1; };
struct Flies : virtual Body { int height = 2; };
struct Duck : Swims, Flies { int eggs = 3; };

/** As typeid tells it; nothing where that is what the parameter says. */
template <class Static> string own(const Static &object) {
  int status = 0;
  std::unique_ptr<char, void (*)(void *)> name(abi::__cxa_demangle(typeid(object).name(), nullptr, nullptr, &status), free);
  return typeid(object) == typeid(Static) ? "" : "\"class\":\"" + string(name.get()) + "\",";
}
}  // namespace zoo

namespace whole {
using namespace zoo;
OWN void bases(const Animal &animal, Named *named, Animal *hidden, const Animal *plain) {
  printf("bases {\"animal\":{%s\"legs\":%d%s},\"named\":{%s\"name\":\"%s\"},\"hidden\":{%s\"legs\":%d},\"plain\":{%s\"legs\":%d}}\n", own(animal).c_str(), animal.legs, animal.rest().c_str(), own(*named).c_str(), named->name.c_str(), own(*hidden).c_str(), hidden->legs,
         own(*plain).c_str(), plain->legs);
}
OWN std::unique_ptr<Animal> give(std::shared_ptr<Animal> shared) {
  printf("give {\"shared\":{%s\"legs\":%d%s,\"owners\":%ld},\"return\":{%s\"legs\":6}}\n", own(*shared).c_str(), shared->legs, shared->rest().c_str(), shared.use_count(), own(static_cast<const Animal &>(Ant())).c_str());
  return std::make_unique<Ant>();
}
OWN void diamond(const Duck &duck, const Flies *flies, const Body *body) {
  printf("diamond {\"duck\":{\"mass\":%d,\"kind\":\"%s\",\"depth\":%d,\"height\":%d,\"eggs\":%d},", duck.mass, "short", duck.depth, duck.height, duck.eggs);
  printf("\"flies\":{%s\"mass\":%d,\"kind\":\"%s\",\"height\":%d},\"body\":{%s\"mass\":%d,\"kind\":\"%s\"}}\n", own(*flies).c_str(), flies->mass, flies->kind.c_str(), flies->height, own(*body).c_str(), body->mass, body->kind.c_str());
}
OWN void wild(const Animal *damaged) { printf("wild {\"damaged\":{\"legs\":%d}}\n", damaged->legs); }
}  // namespace whole

int main() {
  using namespace whole;
  Dog<double> dog;
  Ant ant;
  Animal plain(3);
  Duck duck;
  Flies flies;
  Body body;
  duck.kind = "short";
  flies.kind = "fly";
  bases(dog, &dog, &ant, &plain);
  give(std::make_shared<Dog<int>>());
  diamond(duck, &flies, &body);
  struct { long table; int legs; } damaged{24, 9};
  wild(reinterpret_cast<const Animal *>(&damaged));
  return static_cast<const Animal &>(dog).stepped(2) == 9;
}
