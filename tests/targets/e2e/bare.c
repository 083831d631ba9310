/* Without a C library: prints its argument, a digit, and ends with it; without one it waits for
 * input before. */
static long call(long number, long a, long b, long c) {
  __asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return number;
}

void leafWork(const long *stack) {
  char line[] = "leaf 0\n";
  if (stack[0] > 1) line[5] = *(const char *)stack[2];
  call(1, 1, (long)line, 7);
  if (stack[0] < 2) call(0, 0, (long)line, 1);
  call(60, stack[0] < 2 ? 0 : line[5] - '0', 0, 0);
}

__asm__(".globl _start\n_start: mov %rsp, %rdi\nand $-16, %rsp\ncall leafWork");
