// Two files with a static of the same name: this one and watchedFile.c, which may be a library.
void second(int by);

static int state = 1;

__attribute__((noinline)) void first(int by) {
  volatile int step = by;
  state += step;
}

int main(void) {
  first(1);
  second(2);
  first(3);
  return 0;
}
