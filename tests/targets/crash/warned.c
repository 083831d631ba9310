/* Says on stderr and stdout what it does before it uses a block that was freed, and leaves the rest to AddressSanitizer. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) int spent(const int *account) { return *account; }
int main(void) {
  int *account = malloc(sizeof *account);
  *account = 7;
  fprintf(stderr, "warning: closing account 7\n");
  free(account);
  printf("closed\n");
  fflush(stdout);
  fprintf(stderr, "warning: asked for account 7\n");
  return spent(account);
}
