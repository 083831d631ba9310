// Fills in its own pages (userfaultfd): who reads one that is missing waits for `serve`, which is called with its address.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pthread.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <linux/userfaultfd.h>
static int uffd; static char *fill;
__attribute__((noinline)) int serve(char *page, int number){ memset(fill,'A'+number%26,4096); fill[4095]=0; struct uffdio_copy c={.dst=(unsigned long)page&~4095ul,.src=(unsigned long)fill,.len=4096}; return ioctl(uffd,UFFDIO_COPY,&c); }
static void*handler(void*a){ int n=0; for(;;){ struct pollfd p={uffd,POLLIN,0}; poll(&p,1,-1); struct uffd_msg m; if(read(uffd,&m,sizeof m)!=sizeof m) continue; serve((char*)m.arg.pagefault.address,n++);} return 0; }
__attribute__((noinline)) int look(char*p){ return p[5]; }
int main(){ uffd=syscall(SYS_userfaultfd,O_CLOEXEC|O_NONBLOCK); if(uffd<0){perror("uffd");return 1;} struct uffdio_api api={.api=UFFD_API}; ioctl(uffd,UFFDIO_API,&api);
 fill=mmap(0,4096,3,MAP_PRIVATE|MAP_ANONYMOUS,-1,0); char*area=mmap(0,16*4096,3,MAP_PRIVATE|MAP_ANONYMOUS,-1,0); struct uffdio_register r={.range={(unsigned long)area,16*4096},.mode=UFFDIO_REGISTER_MODE_MISSING}; ioctl(uffd,UFFDIO_REGISTER,&r);
 pthread_t t; pthread_create(&t,0,handler,0); int s=0; for(int i=0;i<16;i++) s+=look(area+i*4096); printf("sum %d\n",s); return 0; }
