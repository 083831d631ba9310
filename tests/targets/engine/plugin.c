/* A library that is loaded, traced, unloaded and loaded again. */
__attribute__((noinline, noclone)) int plugged(int a) {
  __asm__ volatile("");
  return a * 2 + 1;
}
