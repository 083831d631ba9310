// Calls before and at the very beginning of main: static constructors and the first statement.
#include <cstdio>

#define OWN __attribute__((noinline))

namespace boot {
int last_slot;
class Registry {
 public:
  OWN int add(const char *name, int slot) {
    last_ = name;
    return slot + 1;
  }
  const char *last_ = nullptr;
};
Registry &registry() {
  static Registry only;
  return only;
}
struct Early {
  explicit Early(int slot) : slot_(registry().add("early", slot)) {}
  int slot_;
};
Early early(41);
OWN int first(int argc) {
  last_slot = argc;
  return argc * 100;
}
}  // namespace boot

int main(int argc, char **) {
  const int result = boot::first(argc);
  std::printf("%d %d %s\n", result, boot::early.slot_, boot::registry().last_);
  return 0;
}
