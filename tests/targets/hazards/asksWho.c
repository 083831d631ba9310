/* Functions whose result depends on who called them: by their return address, by ending with a call of dlsym or its kin,
 * by what -finstrument-functions or -pg adds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))
#define PLAIN __attribute__((no_instrument_function))

static int own_sites, other_sites;

PLAIN static int is_own(void *address) {
  Dl_info of_address, of_own;
  return dladdr(address, &of_address) && dladdr((void *)is_own, &of_own) && of_address.dli_fbase == of_own.dli_fbase;
}

PLAIN NOINLINE void *who(void) { return __builtin_return_address(0); }
PLAIN NOINLINE void *who_by_frame(void) { return ((void **)__builtin_frame_address(0))[1]; }
/* Late, behind calls and branches. */
PLAIN NOINLINE void *who_at_last(int n) {
  char text[64];
  snprintf(text, sizeof text, "%d", n);
  for (int i = 0; i < n; i++) strcat(text, "x");
  if (strlen(text) > 8) return 0;
  return __builtin_return_address(0);
}
PLAIN NOINLINE void *who_through(void) { return who(); }
PLAIN NOINLINE void *find(const char *name) { return dlsym(RTLD_NEXT, name); }
PLAIN NOINLINE void *find_through(const char *name) { return find(name); }
PLAIN NOINLINE void *open_library(const char *name) { return dlopen(name, RTLD_NOW); }
PLAIN NOINLINE int asks_nothing(int n) {
  int sum = 0;
  for (volatile int i = 0; i < n; i++) sum += i;
  return sum;
}

NOINLINE int leaf(int x) { return x * 3 + 1; }
NOINLINE int middle(int x) { return leaf(x) + leaf(x + 1); }

/* A main program's sites, or those of the C library. */
PLAIN void __cyg_profile_func_enter(void *function, void *site) {
  Dl_info info;
  int is_program = is_own(site) || (dladdr(site, &info) && strstr(info.dli_fname, "libc"));
  if (is_own(function) && is_program) own_sites++;
  else other_sites++;
}
PLAIN void __cyg_profile_func_exit(void *function, void *site) {
  (void)function;
  (void)site;
}

PLAIN int main(void) {
  int sum = asks_nothing(10);
  for (int i = 0; i < 10; i++) sum += middle(i);
  printf("return address %d, by frame %d, at last %d, through %d\n", is_own(who()), is_own(who_by_frame()),
         is_own(who_at_last(3)), is_own(who_through()));
  int (*say)(const char *) = (int (*)(const char *))find("puts");
  printf("find %d %d, open %d\n", say != 0, find_through("puts") != 0, open_library("libm.so.6") != 0);
  if (say) say("said");
  printf("sum %d, sites %d and %d\n", sum, own_sites, other_sites);
  return say == 0;
}
