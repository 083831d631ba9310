/* A 32-bit program without a library, which a 64-bit machine builds and runs: says ready and waits. */
static int call(int number, int first, int second, int third)
{
  int answer;
  __asm__ volatile("int $0x80" : "=a"(answer) : "a"(number), "b"(first), "c"(second), "d"(third) : "memory");
  return answer;
}

void _start(void)
{
  call(4 /* write */, 1, (int)"ready\n", 6);
  for (;;) call(29 /* pause */, 0, 0, 0);
}
