/* Two libraries that take turns at the same addresses: loaded, called by several threads, some while hooks come, and unloaded, 150 times. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

typedef int Plugged(int);

static void *calls(void *function) {
  long total = 0;
  for (int i = 0; i < 3000; i++) total += ((Plugged *)function)(i);
  return (void *)total;
}

int main(int argc, char **argv) {
  long total = 0;
  if (argc < 3) return 2;
  for (int round = 0; round < 150; round++) {
    pthread_t threads[2];
    void *library = dlopen(argv[1 + round % 2], RTLD_NOW), *function = library ? dlsym(library, "plugged") : NULL;
    if (!function) return 3;
    total += (long)calls(function);
    /* Who is traced waits in two rounds until the library is, too. */
    const volatile unsigned char *own = (const unsigned char *)calls, *other = function;
    for (int waited = 0; round % 75 == 0 && *own == 0xe9 && *other != 0xe9 && waited < 20000; waited++) usleep(1000);
    if (round % 5 == 0) usleep(20000);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, calls, function);
    for (int i = 0; i < 2; i++) {
      void *answer;
      pthread_join(threads[i], &answer);
      total += (long)answer;
    }
    if (dlclose(library)) return 4;
  }
  printf("%ld\n", total);
  return 0;
}
