// One object whose state changes from call to call, and several objects in turn.
struct Counter {
  int total = 0;
  int calls = 0;
  __attribute__((noinline)) void add(int by) {
    total += by;
    calls++;
  }
};

__attribute__((noinline)) int readOf(const Counter *counter) {
  return counter->total * 1000 + counter->calls;
}

int main() {
  Counter one, other;
  int sum = 0;
  for (int by = 0; by < 10; by++) {
    one.add(by);
    sum += readOf(by % 2 == 0 ? &one : &other);
  }
  return sum == 0;
}
