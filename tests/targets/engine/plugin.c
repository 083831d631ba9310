/* A library that is loaded, traced, unloaded and loaded again. */
#ifndef STEP
#define STEP 2
#endif
__attribute__((noinline, noclone)) int plugged(int a) {
  __asm__ volatile("");
  return a * STEP + 1;
}
