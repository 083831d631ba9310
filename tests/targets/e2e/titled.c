/* Writes a title over its arguments, as Redis and PostgreSQL do, and calls one function per line of input. */
#include <stdio.h>
#include <string.h>

__attribute__((noinline, noclone)) int serve(int request) {
  printf("%d\n", request);
  fflush(stdout);
  return request * 2;
}

int main(int count, char **arguments) {
  char *last = arguments[count - 1];
  size_t room = (size_t)(last + strlen(last) - arguments[0]);
  memset(arguments[0], 0, room);
  snprintf(arguments[0], room, "titled: serving 7");
  puts("ready");
  fflush(stdout);
  char line[64];
  for (int i = 0; fgets(line, sizeof line, stdin); i++) {
    if (serve(i) != i * 2) return 1;
  }
  return 0;
}
