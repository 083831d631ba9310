// Loads the library named in argv[1] while it runs and calls one of its functions; waits for a line before it.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  char line[16];
  puts("ready");
  fflush(stdout);
  if (argc < 2 || fgets(line, sizeof line, stdin) == NULL) return 2;
  void *library = dlopen(argv[1], RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  double (*area)(double, double) = (double (*)(double, double))dlsym(library, "geometry_area");
  printf("%.1f\n", area(3, 5));
  return 0;
}
