/* Writes how far its thread-locals lie from the thread pointer. */
#include <stdio.h>

__thread int first = 3;
static _Thread_local struct {
  _Alignas(64) long words[4];
} wide;

int main(void) {
  char *pointer = __builtin_thread_pointer();
  wide.words[0] = first;
  printf("%ld %ld\n", (long)((char *)&first - pointer), (long)((char *)&wide - pointer));
  return 0;
}
