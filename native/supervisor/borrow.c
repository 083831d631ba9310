/*
 * What a process that stands at its exec does for the supervisor before a host attaches to it. It
 * takes the descriptors that its own files would get next, so that the host's come to lie above
 * them; the agent gives them back. And under Yama's ptrace_scope 1, where only ancestors may attach
 * to a process and whom it names by PR_SET_PTRACER, it names everybody: only it can. The code for
 * this is written where the process stands and taken away again, its registers are put back.
 */
#define _GNU_SOURCE
#include "borrow.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <unistd.h>

#if defined(__x86_64__)

/* What the host and its agent open at a start stays below this. */
enum { LEFT_FOR_HOST = 24, MOST_NUMBERS = 1024, USER_CODE = 0x33 };

static bool is_permission_needed(void) {
  char scope = '0';
  int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  if (read(fd, &scope, 1) < 0) scope = '0';
  close(fd);
  return scope == '1';
}

/* The lowest numbers without a file; none where the limit leaves the host too few. */
static uint32_t free_numbers(pid_t pid, uint32_t numbers[TAKEN_NUMBERS]) {
  char path[64];
  bool used[MOST_NUMBERS] = {false};
  struct rlimit most;
  uint32_t count = 0;
  snprintf(path, sizeof path, "/proc/%d/fd", pid);
  DIR *files = opendir(path);
  if (!files) return 0;
  for (struct dirent *file = readdir(files); file; file = readdir(files)) {
    unsigned long number = strtoul(file->d_name, NULL, 10);
    if (file->d_name[0] != '.' && number < MOST_NUMBERS) used[number] = true;
  }
  closedir(files);
  for (uint32_t number = 0; number < MOST_NUMBERS && count < TAKEN_NUMBERS; number++)
    if (!used[number]) numbers[count++] = number;
  if (count < TAKEN_NUMBERS || prlimit(pid, RLIMIT_NOFILE, NULL, &most) < 0) return 0;
  return most.rlim_cur < numbers[count - 1] + LEFT_FOR_HOST ? 0 : count;
}

static bool peek_code(pid_t pid, uint64_t at, uint64_t code[BORROWED_WORDS]) {
  for (int i = 0; i < BORROWED_WORDS; i++) {
    errno = 0;
    code[i] =
        (uint64_t)ptrace(PTRACE_PEEKTEXT, pid, (void *)(uintptr_t)(at + 8u * (unsigned)i), NULL);
    if (errno != 0) return false;
  }
  return true;
}

static bool poke_code(pid_t pid, uint64_t at, const uint64_t code[BORROWED_WORDS]) {
  for (int i = 0; i < BORROWED_WORDS; i++)
    if (ptrace(PTRACE_POKETEXT, pid, (void *)(uintptr_t)(at + 8u * (unsigned)i),
               (void *)(uintptr_t)code[i]) < 0)
      return false;
  return true;
}

bool begin_borrowing(pid_t pid, struct borrowed *saved) {
  static const uint8_t system_call[] = {0x0f, 0x05};
  static const uint8_t take_numbers[] = {
      0xb8,
      SYS_eventfd2 & 0xff,
      SYS_eventfd2 >> 8,
      0,
      0, /* mov eax, SYS_eventfd2 */
      0x31,
      0xff, /* xor edi, edi */
      0xbe,
      0,
      0,
      O_CLOEXEC >> 16,
      0, /* mov esi, EFD_CLOEXEC */
      0x0f,
      0x05, /* syscall */
      0x41,
      0xff,
      0xcc, /* dec r12d */
      0x75,
      0xed, /* jnz back to the first */
  };
  struct user_regs_struct registers;
  uint8_t code[8 * BORROWED_WORDS];
  uint64_t words[BORROWED_WORDS];
  size_t size = 0;
  bool permits = is_permission_needed();
  _Static_assert(sizeof system_call + sizeof take_numbers + 1 <= sizeof code, "all code fits");
  _Static_assert(sizeof registers == sizeof saved->registers, "all registers fit");
  saved->taken = free_numbers(pid, saved->numbers);
  if (!permits && saved->taken == 0) return false;
  if (ptrace(PTRACE_GETREGS, pid, NULL, &registers) < 0 || registers.cs != USER_CODE) goto nothing;
  memcpy(saved->registers, &registers, sizeof registers);
  if (!peek_code(pid, registers.rip, saved->code)) goto nothing;
  memcpy(code, saved->code, sizeof code);
  if (permits) {
    memcpy(code, system_call, sizeof system_call);
    size = sizeof system_call;
    registers.rax = SYS_prctl;
    registers.rdi = PR_SET_PTRACER;
    registers.rsi = PR_SET_PTRACER_ANY;
    registers.rdx = registers.r10 = registers.r8 = 0;
  }
  if (saved->taken > 0) {
    memcpy(code + size, take_numbers, sizeof take_numbers);
    size += sizeof take_numbers;
    registers.r12 = saved->taken;
  }
  code[size] = 0xcc; /* int3 */
  memcpy(words, code, sizeof words);
  registers.orig_rax = UINT64_MAX; /* no system call is to be restarted */
  if (poke_code(pid, registers.rip, words) && ptrace(PTRACE_SETREGS, pid, NULL, &registers) == 0 &&
      ptrace(PTRACE_CONT, pid, NULL, NULL) == 0)
    return true;
  end_borrowing(pid, saved);
nothing:
  saved->taken = 0;
  return false;
}

void end_borrowing(pid_t pid, const struct borrowed *saved) {
  struct user_regs_struct registers;
  memcpy(&registers, saved->registers, sizeof registers);
  registers.orig_rax = UINT64_MAX;
  poke_code(pid, registers.rip, saved->code);
  ptrace(PTRACE_SETREGS, pid, NULL, &registers);
}

#else

bool begin_borrowing(pid_t pid, struct borrowed *saved) {
  return (void)pid, saved->taken = 0, false;
}
void end_borrowing(pid_t pid, const struct borrowed *saved) { (void)pid, (void)saved; }

#endif
