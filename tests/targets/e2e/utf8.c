// Writes multibyte characters byte by byte with pauses, so that reads split them; then a bad byte.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void drip(int stream, const char *text) {
  for (size_t i = 0; i < strlen(text); i++) {
    if (write(stream, text + i, 1) != 1) _exit(9);
    usleep(2000);
  }
}

int main(void) {
  drip(1, "grüße 日本 🚀\n");
  drip(2, "größe\n");
  drip(1, "bad \xff byte\n");
  drip(1, "no newline at the end: ü");
  return 0;
}
