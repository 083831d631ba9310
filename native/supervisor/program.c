/*
 * What an exec is about: which file, which arguments, whose child. Everything is read from outside
 * while the caller waits in its system call, and may be nonsense the caller made up: each read is
 * bounded.
 */
#define _GNU_SOURCE
#include "program.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MAX_PATH = 4096, MAX_ARGUMENTS = 32 };

static bool read_status(pid_t thread, char *text, size_t room) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/status", thread);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t got = read(fd, text, room - 1);
  close(fd);
  text[got > 0 ? got : 0] = 0;
  return got > 0;
}

bool is_stopped(pid_t pid) {
  char text[1024];
  const char *state = read_status(pid, text, sizeof text) ? strstr(text, "\nState:\t") : NULL;
  return state && state[8] == 'T';
}

/* proc_pid_status(5): the process a thread belongs to, and its parent. */
bool kin_of(pid_t thread, struct kin *kin) {
  char text[1024];
  if (!read_status(thread, text, sizeof text)) return false;
  const char *process = strstr(text, "\nTgid:"), *parent = strstr(text, "\nPPid:");
  if (!process || !parent) return false;
  *kin = (struct kin){atoi(process + 6), atoi(parent + 6)};
  return true;
}

static ssize_t peek(pid_t pid, uint64_t from, void *to, size_t count) {
  struct iovec local = {to, count}, remote = {(void *)(uintptr_t)from, count};
  return process_vm_readv(pid, &local, 1, &remote, 1, 0);
}

/* A NUL-terminated text of another process, of which a part may lie on a page that is not there. */
static bool peek_text(pid_t pid, uint64_t from, char *to, size_t room) {
  size_t used = 0;
  while (used < room) {
    size_t page = 4096 - (from + used) % 4096;
    ssize_t got = peek(pid, from + used, to + used, page < room - used ? page : room - used);
    if (got <= 0) return false;
    if (memchr(to + used, 0, (size_t)got)) return true;
    used += (size_t)got;
  }
  return false;
}

static bool is_execveat(const struct seccomp_notif *notice) {
#if defined(__x86_64__)
  if (notice->data.arch == AUDIT_ARCH_I386) return notice->data.nr == 358;
  return notice->data.nr == SYS_execveat || notice->data.nr == (0x40000000 | 545);
#else
  return notice->data.nr == SYS_execveat;
#endif
}

/* The file as the caller names it; -1 when it is not there. */
static int open_named(const struct seccomp_notif *notice) {
  const __u64 *args = notice->data.args;
  pid_t pid = (pid_t)notice->pid;
  bool at = is_execveat(notice);
  char name[MAX_PATH], path[MAX_PATH + 64];
  if (!peek_text(pid, args[at], name, sizeof name)) return -1;
  int flags = O_PATH | O_CLOEXEC;
  if (name[0] == '/') {
    snprintf(path, sizeof path, "/proc/%d/root%s", pid, name);
    int fd = open(path, flags);
    /* A process that hides its memory hides its root, too. */
    return fd < 0 && errno == EACCES ? open(name, flags) : fd;
  }
  if (!at || (int)args[0] == AT_FDCWD) snprintf(path, sizeof path, "/proc/%d/cwd/%s", pid, name);
  else if (name[0] == 0) snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, (int)args[0]);
  else snprintf(path, sizeof path, "/proc/%d/fd/%d/%s", pid, (int)args[0], name);
  return open(path, flags);
}

/* What the kernel would run: an ELF file or a script, executable, or one that only it may read. */
static bool is_program(int fd, bool no_new_privs, struct program *program) {
  struct stat found;
  char self[64], start[4];
  if (fstat(fd, &found) < 0 || !S_ISREG(found.st_mode) || !(found.st_mode & 0111)) return false;
  program->file =
      (struct file){found.st_dev, found.st_ino,
                    (uint64_t)found.st_ctim.tv_sec * 1000000000u + (uint64_t)found.st_ctim.tv_nsec};
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  if (access(self, X_OK) < 0) return false;
  bool privileged = (found.st_mode & S_ISUID && found.st_uid != geteuid()) ||
                    (found.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) ||
                    getxattr(self, "security.capability", NULL, 0) > 0;
  if (privileged && no_new_privs) program->flags |= EXEC_FLAG_UNPRIVILEGED;
  int readable = open(self, O_RDONLY | O_CLOEXEC);
  if (readable < 0) return true;
  ssize_t got = read(readable, start, sizeof start);
  close(readable);
  return got >= 2 &&
         (memcmp(start, "#!", 2) == 0 || (got == 4 && memcmp(start, "\177ELF", 4) == 0));
}

static void append(struct program *program, const char *text) {
  size_t length = strlen(text) + 1;
  if (program->bytes + length > sizeof program->text) return;
  memcpy(program->text + program->bytes, text, length);
  program->bytes += (uint32_t)length;
}

static void append_arguments(const struct seccomp_notif *notice, struct program *program) {
  bool narrow = false;
#if defined(__x86_64__)
  narrow = notice->data.arch == AUDIT_ARCH_I386;
#endif
  uint64_t list = notice->data.args[is_execveat(notice) + 1];
  for (int i = 0; i < MAX_ARGUMENTS && list; i++) {
    char text[512];
    uint64_t at = 0;
    size_t size = narrow ? 4 : 8;
    if (peek((pid_t)notice->pid, list + (uint64_t)i * size, &at, size) != (ssize_t)size || !at)
      return;
    if (!peek_text((pid_t)notice->pid, at, text, sizeof text)) {
      /* A longer one is told cut short; what follows would only take its room. */
      text[sizeof text - 1] = 0;
    }
    append(program, text);
  }
}

static void append_path_of(int fd, struct program *program) {
  char self[64], path[MAX_PATH];
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(self, path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  append(program, path);
}

bool program_asked_for(const struct seccomp_notif *notice, bool no_new_privs,
                       struct program *program) {
  program->flags = program->bytes = 0;
  int fd = open_named(notice);
  if (fd < 0) return false;
  bool runs = is_program(fd, no_new_privs, program);
  if (runs) {
    append_path_of(fd, program);
    append_arguments(notice, program);
  }
  close(fd);
  return runs;
}

void program_running(pid_t pid, struct program *program) {
  char path[64], text[MAX_PATH];
  program->flags = program->bytes = 0;
  snprintf(path, sizeof path, "/proc/%d/exe", pid);
  ssize_t length = readlink(path, text, sizeof text - 1);
  text[length > 0 ? length : 0] = 0;
  append(program, text);
  snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t got = read(fd, text, 2048);
  close(fd);
  if (got <= 0) return;
  text[got - 1] = 0;
  for (ssize_t at = 0; at < got; at += (ssize_t)strlen(text + at) + 1) append(program, text + at);
}
