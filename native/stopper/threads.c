/* See threads.h. */
#define _GNU_SOURCE
#include "threads.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MOST 4096
/* Milliseconds. */
#define SEIZE_TURNS 1000

static struct thread *all[MOST];
static u32 count;

struct thread *thread_find(pid_t tid) {
  for (u32 i = 0; i < count; i++)
    if (all[i]->tid == tid) return all[i];
  return 0;
}

struct thread *thread_add(pid_t tid) {
  struct thread *thread = count < MOST ? calloc(1, sizeof *thread) : 0;
  if (!thread) return 0;
  thread->tid = tid;
  return all[count++] = thread;
}

void thread_remove(struct thread *thread) {
  for (u32 i = 0; i < count; i++)
    if (all[i] == thread) all[i] = all[--count];
  free(thread);
}

struct thread *thread_next(const struct thread *thread) {
  u32 i = 0;
  while (thread && i < count && all[i] != thread) i++;
  if (thread) i++;
  return i < count ? all[i] : 0;
}

/* One that was started by a thread of ours that is seized already tells of itself. */
static int is_ours(pid_t pid, pid_t tid) {
  char text[4096];
  snprintf(text, sizeof text, "/proc/%d/task/%d/status", pid, tid);
  int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 1;
  ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  text[got > 0 ? got : 0] = 0;
  const char *tracer = strstr(text, "\nTracerPid:");
  return tracer && atoi(tracer + 11) == getpid();
}

int threads_seize(pid_t pid) {
  const long options =
      PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
  char path[32];
  const struct timespec turn = {0, 1000000};
  u32 before, waited = 0;
  int failed;
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  /* Until no thread is new: those that a thread started before it was seized. */
  do {
    struct dirent *entry;
    DIR *folder = opendir(path);
    if (!folder) return -errno;
    before = count;
    failed = 0;
    while ((entry = readdir(folder))) {
      pid_t tid = atoi(entry->d_name);
      if (tid <= 0 || thread_find(tid)) continue;
      if (ptrace(PTRACE_SEIZE, tid, 0, options) == 0) thread_add(tid);
      else if (errno != ESRCH && thread_letter(tid) != 'Z' && !is_ours(pid, tid)) failed = errno;
    }
    closedir(folder);
    /* The engine traces threads for a moment while it changes code. */
    if (failed == EPERM && waited++ < SEIZE_TURNS) nanosleep(&turn, 0);
    else if (failed) break;
  } while (count > before || failed);
  return failed ? -failed : (int)count;
}

int is_thread_of(pid_t pid, pid_t tid) {
  char path[48];
  snprintf(path, sizeof path, "/proc/%d/task/%d", pid, tid);
  return access(path, F_OK) == 0;
}

int shares_memory(pid_t pid, pid_t other) {
  long order = syscall(SYS_kcmp, pid, other, KCMP_VM, 0, 0);
  return order < 0 ? -1 : order == 0;
}

char thread_letter(pid_t tid) {
  char text[512];
  snprintf(text, sizeof text, "/proc/%d/task/%d/stat", tid, tid);
  int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 'X';
  ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  if (got <= 0) return 'X';
  text[got] = 0;
  const char *name = strrchr(text, ')');
  return name && name[1] ? name[2] : 'X';
}

int registers_read(struct thread *thread) {
  return ptrace(PTRACE_GETREGS, thread->tid, 0, &thread->registers) == 0;
}

#define PC offsetof(struct user_regs_struct, rip)

int pc_read(struct thread *thread) {
  errno = 0;
  thread->registers.rip = (u64)ptrace(PTRACE_PEEKUSER, thread->tid, PC, 0);
  return errno == 0;
}

void pc_write(struct thread *thread, u64 pc) {
  thread->registers.rip = pc;
  ptrace(PTRACE_POKEUSER, thread->tid, PC, pc);
}

void registers_write(struct thread *thread) {
  ptrace(PTRACE_SETREGS, thread->tid, 0, &thread->registers);
}

int register_set(struct thread *thread, u32 number, u64 value) {
  struct user_regs_struct *r = &thread->registers;
  unsigned long long *const in_order[] = {&r->rax, &r->rdx, &r->rcx, &r->rbx, &r->rsi, &r->rdi,
                                          &r->rbp, &r->rsp, &r->r8,  &r->r9,  &r->r10, &r->r11,
                                          &r->r12, &r->r13, &r->r14, &r->r15, &r->rip};
  if (number >= sizeof in_order / sizeof *in_order) return 0;
  *in_order[number] = value;
  /* The kernel begins an interrupted call of the system again where this still names one. */
  if (in_order[number] == &r->rip) r->orig_rax = ~0ull;
  registers_write(thread);
  return 1;
}
