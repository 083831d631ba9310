/*
 * What an exec is about: which file, which arguments, whose child. Everything is read from outside
 * while the caller waits in its system call, and may be nonsense the caller made up: each read is
 * bounded.
 */
#define _GNU_SOURCE
#include "program.h"
#include "path.h"
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

/* SCRIPT_BYTES: what the kernel reads of a script's first line. MAX_SCRIPTS: how deep it nests
 * them. */
enum { MAX_PATH = 4096, MAX_ARGUMENTS = 32, SCRIPT_BYTES = 256, MAX_SCRIPTS = 5 };

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

/* "Seccomp_filters", from Linux 5.9 on; else 0. */
int filters_of(pid_t thread) {
  char text[4096];
  const char *count =
      read_status(thread, text, sizeof text) ? strstr(text, "\nSeccomp_filters:") : NULL;
  return count ? atoi(count + 17) : 0;
}

pid_t tracer_of(pid_t thread) {
  char text[1024];
  if (!read_status(thread, text, sizeof text)) return -1;
  const char *tracer = strstr(text, "\nTracerPid:");
  return tracer ? atoi(tracer + 11) : 0;
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
static int open_named(const struct seccomp_notif *notice, const struct finder *finder) {
  const __u64 *args = notice->data.args;
  bool at = is_execveat(notice);
  char name[MAX_PATH];
  if (!peek_text(finder->thread, args[at], name, sizeof name)) return -1;
  int from = at && (int)args[0] != AT_FDCWD ? (int)args[0] : FROM_WORKING_DIRECTORY;
  return path_open(finder, from, name);
}

/* A file that the kernel would execute, and its first bytes; one that only it may read has none. */
static bool read_start(int fd, struct stat *found, char start[SCRIPT_BYTES], ssize_t *got) {
  char self[64];
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  if (fstat(fd, found) < 0 || !S_ISREG(found->st_mode) || !(found->st_mode & 0111)) return false;
  if (access(self, X_OK) < 0) return false;
  int readable = open(self, O_RDONLY | O_CLOEXEC);
  *got = readable < 0 ? -1 : read(readable, start, SCRIPT_BYTES - 1);
  if (readable >= 0) close(readable);
  start[*got > 0 ? *got : 0] = 0;
  return true;
}

/* An ELF file, or a script whose interpreter is one. */
static bool is_executable(int fd, const struct finder *finder, struct stat *found, int scripts) {
  char start[SCRIPT_BYTES];
  struct stat interpreter;
  ssize_t got;
  if (!read_start(fd, found, start, &got)) return false;
  if (got < 0 || (got >= 4 && memcmp(start, "\177ELF", 4) == 0)) return true;
  if (got < 2 || memcmp(start, "#!", 2) != 0 || scripts == MAX_SCRIPTS) return false;
  char *name = start + 2 + strspn(start + 2, " \t");
  name[strcspn(name, " \t\n")] = 0;
  int next = name[0] ? path_open(finder, FROM_WORKING_DIRECTORY, name) : -1;
  bool runs = next >= 0 && is_executable(next, finder, &interpreter, scripts + 1);
  if (next >= 0) close(next);
  return runs;
}

/* What the kernel would run. */
static bool is_program(int fd, const struct finder *finder, bool no_new_privs,
                       struct program *program) {
  struct stat found;
  char self[64];
  if (!is_executable(fd, finder, &found, 0)) return false;
  program->file =
      (struct file){found.st_dev, found.st_ino,
                    (uint64_t)found.st_ctim.tv_sec * 1000000000u + (uint64_t)found.st_ctim.tv_nsec};
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  bool privileged = (found.st_mode & S_ISUID && found.st_uid != geteuid()) ||
                    (found.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) ||
                    getxattr(self, "security.capability", NULL, 0) > 0;
  if (privileged && no_new_privs) program->flags |= EXEC_FLAG_UNPRIVILEGED;
  return true;
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

bool program_asked_for(const struct seccomp_notif *notice, pid_t process, bool no_new_privs,
                       struct program *program) {
  struct finder finder = {process, (pid_t)notice->pid};
  program->flags = program->bytes = 0;
  int fd = open_named(notice, &finder);
  if (fd < 0) return false;
  bool runs = is_program(fd, &finder, no_new_privs, program);
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
