/* Functions that cannot be hooked, each for a reason of its own, and neighbours that can. */
#include <stdio.h>

__asm__(
    ".text\n"
    /* Followed at once by another function: no room for a jump. */
    ".globl cramped\n.type cramped, @function\ncramped: xor %eax, %eax\n ret\n.size cramped, . - cramped\n"
    ".globl neighbour\n.type neighbour, @function\nneighbour: .cfi_startproc\n mov $1, %eax\n ret\n.cfi_endproc\n.size neighbour, . - neighbour\n"
    /* Padding follows: fine. */
    ".balign 16\n.globl padded\n.type padded, @function\npadded: xor %eax, %eax\n ret\n.size padded, . - padded\n"
    /* A loop back into the second instruction. */
    ".balign 16\n.globl looping\n.type looping, @function\nlooping: nop\n1: dec %edi\n jg 1b\n mov %edi, %eax\n ret\n"
    ".size looping, . - looping\n"
    /* jrcxz cannot be widened. */
    ".balign 16\n.globl counted\n.type counted, @function\ncounted: jrcxz 1f\n mov $2, %eax\n ret\n1: mov $3, %eax\n"
    " ret\n.size counted, . - counted\n"
    /* A call whose return address lies inside the first five bytes. */
    ".balign 16\n.globl through\n.type through, @function\nthrough: push %rbx\n call *%rdi\n pop %rbx\n ret\n"
    ".size through, . - through\n"
    /* A relative call among the displaced bytes: its caller must still unwind and return. */
    ".balign 16\n.globl calling\n.type calling, @function\ncalling: sub $8, %rsp\n call neighbour\n add $8, %rsp\n"
    " inc %eax\n ret\n.size calling, . - calling\n");

int cramped(void);
int neighbour(void);
int padded(void);
int looping(int);
int counted(void);
int through(int (*)(void));
int calling(void);
int data = 9;

int main(void) {
  char line[16];
  setvbuf(stdout, NULL, _IOLBF, 0);
  puts("ready");
  if (!fgets(line, sizeof line, stdin)) return 2;
  printf("%d %d %d %d %d %d\n", cramped(), neighbour(), padded(), looping(3), through(neighbour), calling());
  return counted() ? 0 : data;
}
