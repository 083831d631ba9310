/*
 * Under Yama's ptrace_scope 1 only ancestors may attach to a process, and whom it names by
 * PR_SET_PTRACER; it must call that itself. So the keeper, which is an ancestor, has a process that
 * stands at its exec make this one system call, and puts registers and code back as they were.
 */
#define _GNU_SOURCE
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <unistd.h>

bool may_be_attached_to(void)
{
  char scope = '0';
  int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  if (read(fd, &scope, 1) < 0) scope = '0';
  close(fd);
  return scope != '1';
}

#if defined(__x86_64__)

static bool peek_code(pid_t pid, uint64_t at, uint64_t *code)
{
  errno = 0;
  *code = (uint64_t)ptrace(PTRACE_PEEKTEXT, pid, (void *)(uintptr_t)at, NULL);
  return errno == 0;
}

static bool poke_code(pid_t pid, uint64_t at, uint64_t code)
{
  return ptrace(PTRACE_POKETEXT, pid, (void *)(uintptr_t)at, (void *)(uintptr_t)code) == 0;
}

bool begin_permission(pid_t pid, struct permission *saved)
{
  struct user_regs_struct registers;
  _Static_assert(sizeof registers == sizeof saved->registers, "all registers fit");
  if (ptrace(PTRACE_GETREGS, pid, NULL, &registers) < 0) return false;
  memcpy(saved->registers, &registers, sizeof registers);
  if (!peek_code(pid, registers.rip, &saved->code)) return false;
  const uint64_t system_call = 0x050f;
  if (!poke_code(pid, registers.rip, (saved->code & ~UINT64_C(0xffff)) | system_call)) return false;
  registers.rax = SYS_prctl;
  registers.orig_rax = UINT64_MAX; /* no system call is to be restarted */
  registers.rdi = PR_SET_PTRACER;
  registers.rsi = PR_SET_PTRACER_ANY;
  registers.rdx = registers.r10 = registers.r8 = 0;
  if (ptrace(PTRACE_SETREGS, pid, NULL, &registers) == 0 && ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) == 0)
    return true;
  end_permission(pid, saved);
  return false;
}

void end_permission(pid_t pid, const struct permission *saved)
{
  struct user_regs_struct registers;
  memcpy(&registers, saved->registers, sizeof registers);
  registers.orig_rax = UINT64_MAX;
  poke_code(pid, registers.rip, saved->code);
  ptrace(PTRACE_SETREGS, pid, NULL, &registers);
}

#else

bool begin_permission(pid_t pid, struct permission *saved) { return (void)pid, (void)saved, false; }
void end_permission(pid_t pid, const struct permission *saved) { (void)pid, (void)saved; }

#endif
