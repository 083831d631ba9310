/* Code on a page where indirect calls must meet a landing pad (arm64, PROT_BTI), as a loader guards it. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define GUARDED_EXECUTABLE (PROT_READ | PROT_EXEC | 0x10)

int twice(int a);
__asm__(".section .text.guarded, \"ax\"\n.balign 4096\n.globl twice\n.type twice, %function\ntwice:\n"
        "  hint 34 /* bti c */\n  lsl w0, w0, 1\n  ret\n.size twice, . - twice\n.balign 4096\n.previous\n");

static void guard(void) { mprotect((void *)twice, 4096, GUARDED_EXECUTABLE); }
/* Before any library's constructor. */
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = guard;

int main(void) {
  char line[16];
  setvbuf(stdout, NULL, _IOLBF, 0);
  puts("ready");
  if (!fgets(line, sizeof line, stdin)) return 2;
  int (*volatile by_pointer)(int) = twice;
  if (!strcmp(line, "beside\n")) by_pointer = (int (*)(int))((char *)twice + 4);
  printf("%d\n", by_pointer(21) + twice(1));
  return 5;
}
