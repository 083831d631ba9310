// Every kind of x86 store to one place, each named with what it left there.
#include <stdint.h>
#include <stdio.h>

static struct {
  uint64_t before[4], place, after[4];
} memory __attribute__((aligned(64)));
static struct {
  const char *name;
  uint64_t value;
} done[256];
static int count;

#define DONE(text) (done[count].name = text, done[count++].value = *(volatile uint64_t *)&memory.place)
/* In front of each: what another store could be taken for. */
#define STORE(text, ...) \
  do { \
    __asm__ volatile(text : : __VA_ARGS__ : "memory", "cc", "rax", "rcx", "rbx", "rsi", "rdi", "r12", "r13"); \
    DONE(text); \
  } while (0)

int main(void) {
  char line[16];
  uint64_t *at = &memory.place, *low = memory.before;
  uint64_t big = 0x1122334455667788, other = 0x0102030405060708;
  double number = 2.5;
  printf("place %p\n", (void *)at);
  fflush(stdout);
  if (!fgets(line, sizeof line, stdin)) return 1;
  STORE("movq %0, (%1)", "d"(big), "r"(at));
  STORE("movl %k0, 32(%1)", "d"(other), "r"(low));
  STORE("movw %w0, (%1)", "r"(big), "r"(at));
  STORE("movb %b0, (%1)", "r"(other), "r"(at));
  STORE("mov $0x1234, %%ax\n movb %%ah, (%0)", "d"(at));
  STORE("mov %0, %%r13\n movq $-5, (%%r13)", "r"(at));
  STORE("mov %0, %%r12\n movl $0x48004889, (%%r12)", "r"(at));
  STORE("movw $0x6648, (%0)", "r"(at));
  STORE("movb $0xf0, (%0)", "r"(at));
  STORE("mov $4, %%ecx\n movq %1, (%0,%%rcx,8)", "r"(low), "d"(other));
  STORE("mov $-4, %%rcx\n mov %1, %%rbx\n mov %%rbx, 64(%0,%%rcx,8)", "r"(low), "d"(big));
  STORE("addq %1, (%0)", "r"(at), "d"(other));
  STORE("addl $0x7f, (%0)", "r"(at));
  STORE("addl $0x12345678, (%0)", "r"(at));
  STORE("addw $-2, (%0)", "r"(at));
  STORE("orq %1, (%0)", "r"(at), "d"(other));
  STORE("andb $0x3c, (%0)", "r"(at));
  STORE("subq $1, (%0)", "r"(at));
  STORE("subb %b1, (%0)", "r"(at), "d"(other));
  STORE("xorq %1, (%0)", "r"(at), "d"(big));
  STORE("incq (%0)", "r"(at));
  STORE("lock decl (%0)", "r"(at));
  STORE("notq (%0)", "r"(at));
  STORE("shlq $3, (%0)", "r"(at));
  STORE("shrq (%0)", "r"(at));
  STORE("mov $5, %%cl\n sarq %%cl, (%0)", "r"(at));
  STORE("sall $2, (%0)", "r"(at));
  STORE("mov %1, %%rax\n cmpxchgq %2, (%0)", "r"(at), "r"(big), "d"(other));
  STORE("mov (%0), %%rax\n lock cmpxchgq %1, (%0)", "r"(at), "d"(other));
  STORE("lock addq $3, (%0)", "r"(at));
  /* The instruction before ends in what would be a prefix. */
  STORE("mov $0x11223301, %%eax\n cmp $0x44, %%al\n movl %%eax, (%0)", "d"(at));
  STORE("mov $0x11223302, %%eax\n cmp $0x48, %%al\n movl %%eax, (%0)", "d"(at));
  STORE("mov $0x11223303, %%eax\n cmp $0x66, %%al\n movl %%eax, (%0)", "d"(at));
  STORE("mov $0x11223304, %%eax\n cmp $0x4c, %%al\n addl %%eax, (%0)", "d"(at));
  STORE("mov $5, %%ebx\n cmp $0x40, %%al\n movb %%bh, (%0)", "d"(at));
  STORE("cmp %0, %0\n setz (%0)", "r"(at));
  STORE("cmp $0, %0\n setb (%0)", "r"(at));
  STORE("movnti %1, (%0)", "r"(at), "d"(big));
  STORE("negq (%0)", "r"(at));
  STORE("mov %1, %%rbx\n lock xaddq %%rbx, (%0)", "r"(at), "d"(other));
  STORE("mov %1, %%rbx\n xchgq %%rbx, (%0)", "r"(at), "d"(big));
  STORE("stc\n adcq $1, (%0)", "r"(at));
  STORE("rolq $9, (%0)", "r"(at));
  STORE("btsq $62, (%0)", "r"(at));
  STORE("movsd %1, (%0)", "r"(at), "x"(number));
  STORE("movups %1, (%0)", "r"(at), "x"(number));
  STORE("mov %1, %%rax\n mov %0, %%rdi\n stosq", "r"(at), "d"(other));
  STORE("lea %1, %%rsi\n mov %0, %%rdi\n movsq", "r"(at), "m"(big));
  STORE("push %1\n popq (%0)", "r"(at), "d"(other));
  STORE("fldl %1\n fstpl (%0)", "r"(at), "m"(number));
  STORE("movq %1, (%0)", "r"(at), "d"(big));
  for (int i = 0; i < count; i++) printf("%016llx %s\n", (unsigned long long)done[i].value, done[i].name);
  return 0;
}
