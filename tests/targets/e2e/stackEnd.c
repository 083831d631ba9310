// Functions on a stack that ends above them, with nothing mapped behind.
#define _GNU_SOURCE
#include <ucontext.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
static ucontext_t m,c; static int n;
__attribute__((noinline)) int inner(int x){ volatile int y=x*3; return y+1; }
__attribute__((noinline)) void body(void){ for(int i=0;i<5;i++) n+=inner(i); swapcontext(&c,&m); }
int main(){ char*s=mmap(0,65536+4096,PROT_READ|PROT_WRITE,MAP_PRIVATE|MAP_ANONYMOUS,-1,0); mprotect(s+65536,4096,PROT_NONE); getcontext(&c); c.uc_stack.ss_sp=s; c.uc_stack.ss_size=65536; c.uc_link=&m; makecontext(&c,body,0); swapcontext(&m,&c); printf("n %d\n",n); return 0; }
