/* Loads the library that it is given and calls it at once: so Python loads OpenSSL. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
  int (*write_plain)(void *, const void *, int) = library ? (int (*)(void *, const void *, int))dlsym(library, "SSL_write") : 0;
  if (!write_plain) return 1;
  int session = 0;
  for (int i = 0; i < 5; i++) printf("%d\n", write_plain(&session, "0123456789" + i, 10 - i));
  return 0;
}
