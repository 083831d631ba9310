// One of two files with a static of the same name; built into a library it also has a thread-local.
static int state = 100;
__thread int ofThread = 5;
int shared = 40;

__attribute__((noinline)) void second(int by) {
  volatile int step = by;
  state += step;
  shared -= step;
  ofThread += step;
}
