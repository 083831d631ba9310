/* A thread that stands in the first bytes of a function, where it gets no processor for many seconds ("s", until "f"),
 * or waits for a page ("p", until "f"). Then it goes on; what the function does is checked. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOGS 30
#define BYTES (16ul << 20)
#define PAGE 4096ul

/* Nearly all of its time passes behind its first byte. */
int fill(void *to, int unused, unsigned long doubled, unsigned long bytes);
__asm__(".text\n.balign 16, 0x90\n.globl fill\n.type fill, @function\nfill:\n"
        "  nop\n  rep stosb\n  lea (%rdx, %rdx), %eax\n  ret\n.size fill, . - fill\n");

static volatile int stop, rounds, all_right = 1;
static unsigned char *volatile target;
static unsigned long volatile bytes = BYTES;

static void stay_on_first(void) {
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  sched_setaffinity(0, sizeof first, &first);
}

static void *work(void *nothing) {
  stay_on_first();
  for (; !stop; rounds++)
    if (fill(target, 0, 21, bytes) != 42) all_right = 0;
  return nothing;
}

static pid_t hog(void) {
  pid_t pid = fork();
  if (pid) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  stay_on_first();
  (void)!nice(4); /* above the thread, below whatever else runs here */
  for (;;) __asm__ volatile("");
}

static int register_page(void *page) {
  int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
  struct uffdio_api api = {.api = UFFD_API};
  struct uffdio_register all = {{(unsigned long)page, PAGE}, UFFDIO_REGISTER_MODE_MISSING, 0};
  return faults < 0 || ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &all) ? -1 : faults;
}

static void await_rounds(int more) {
  for (int before = rounds; rounds < before + more;) usleep(1000);
}

int main(void) {
  char line[16];
  pid_t hogs[HOGS];
  int hog_count = 0, faults = -1;
  pthread_t thread;
  const struct sched_param none = {0};
  unsigned char *buffer = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  unsigned char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  setvbuf(stdout, NULL, _IOLBF, 0);
  target = buffer;
  pthread_create(&thread, NULL, work, NULL);
  await_rounds(1);
  puts("ready");
  while (fgets(line, sizeof line, stdin) && line[0] != 'e') {
    if (line[0] == 's') {
      pthread_setschedparam(thread, SCHED_IDLE, &none);
      while (hog_count < HOGS) hogs[hog_count++] = hog();
      sleep(1);
    } else if (line[0] == 'p') {
      struct uffd_msg message;
      faults = register_page(page);
      bytes = PAGE;
      target = page;
      if (faults < 0 || read(faults, &message, sizeof message) != sizeof message) return 3;
    } else {
      while (hog_count > 0) {
        kill(hogs[--hog_count], SIGKILL);
        waitpid(hogs[hog_count], NULL, 0);
      }
      pthread_setschedparam(thread, SCHED_OTHER, &none);
      struct uffdio_zeropage zeros = {{(unsigned long)page, PAGE}, 0, 0};
      if (faults >= 0 && ioctl(faults, UFFDIO_ZEROPAGE, &zeros) != 0) return 4;
      if (faults >= 0) close(faults);
      faults = -1;
      await_rounds(3);
    }
    puts("done");
  }
  stop = 1;
  pthread_join(thread, NULL);
  printf("%d\n", all_right);
  return 0;
}
