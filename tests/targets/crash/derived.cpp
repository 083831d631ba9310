// Dies with an object behind a pointer to its base.
namespace forms {
struct Shape {
  virtual ~Shape() = default;
  int id = 7;
};
struct Circle : Shape {
  int radius = 31;
};
}  // namespace forms

static int __attribute__((noinline)) weigh(forms::Shape *shape, const int *weight) {
  return shape->id + *weight;
}

int main() {
  forms::Circle circle;
  return weigh(&circle, nullptr);
}
