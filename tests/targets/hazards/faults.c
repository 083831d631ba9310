/* Faults in the first instruction of functions, and handlers that look the place up, skip it or jump away. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

__asm__(
    ".text\n.balign 16\n.globl reads\n.type reads, @function\nreads: .cfi_startproc\n mov (%rdi), %eax\n add $1, %eax\n nop\n nop\n ret\n.cfi_endproc\n.size reads, . - reads\n"
    ".balign 16\n.globl traps\n.type traps, @function\ntraps: .cfi_startproc\n ud2\n mov $7, %eax\n ret\n.cfi_endproc\n.size traps, . - traps\n"
    ".balign 16\n.globl later\n.type later, @function\nlater: .cfi_startproc\n lea 1(%rsi), %ecx\n mov (%rdi), %eax\n add %ecx, %eax\n ret\n.cfi_endproc\n.size later, . - later\n");
int reads(const int *from);
int traps(void);
int later(const int *from, int add);

static long place, address, page;
static int *memory;
static sigjmp_buf safe;
static enum { MAP, SKIP, AWAY } how;
static void on_fault(int number, siginfo_t *info, void *raw) {
  ucontext_t *context = raw;
  greg_t *pc = &context->uc_mcontext.gregs[REG_RIP];
  place = (long)*pc;
  address = (long)info->si_addr;
  if (how == AWAY) siglongjmp(safe, number);
  if (how == MAP) mprotect(memory, (size_t)page, PROT_READ);
  else *pc += 2;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGILL, &action, NULL);
  page = sysconf(_SC_PAGESIZE);
  memory = mmap(NULL, (size_t)page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 100; i++) {
    int a, b, c, got;
    mprotect(memory, (size_t)page, PROT_NONE);
    how = MAP;
    a = reads(memory + 1);
    printf("%d %ld %ld ", a, place - (long)reads, address - (long)memory);
    mprotect(memory, (size_t)page, PROT_NONE);
    b = later(memory, i);
    printf("%d %ld ", b, place - (long)later);
    how = SKIP;
    c = traps();
    printf("%d %ld %ld ", c, place - (long)traps, address - (long)traps);
    how = AWAY;
    got = sigsetjmp(safe, 1);
    if (got == 0) reads(NULL);
    printf("%d %ld\n", got, place - (long)reads);
  }
  return 3;
}
