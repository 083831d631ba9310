/* Says as whom it acts. */
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) int rights(void) { return (int)geteuid(); }
int main(void) {
  printf("%d\n", rights());
  return 3;
}
