// Loads the library named in argv[1] when a line comes, calls one of its functions, and again at the next line.
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
  printf("first %.1f\n", area(3, 5));
  fflush(stdout);
  if (fgets(line, sizeof line, stdin) == NULL) return 4;
  printf("second %.1f\n", area(4, 5));
  return 0;
}
