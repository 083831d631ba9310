/* Loads the library named by each line "+path", calls `plugged`, unloads it on "-". */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  char line[512];
  void *library = NULL;
  setvbuf(stdout, NULL, _IOLBF, 0);
  puts("ready");
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (line[0] == '+') library = dlopen(line + 1, RTLD_NOW);
    int (*plugged)(int) = library ? (int (*)(int))dlsym(library, "plugged") : NULL;
    int answer = plugged ? plugged(20) : -1;
    if (line[0] == '-' && library) {
      dlclose(library);
      library = NULL;
    }
    printf("%d\n", answer); /* The library has come or gone by then. */
  }
  return 0;
}
