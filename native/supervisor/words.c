/*
 * <folder>/supervisor.err: why whoever was connected was let go, and how a supervisor ended that
 * was killed. What libc says at an abort comes there, too. The daemon tells it when it has lost its
 * supervisor.
 */
#define _GNU_SOURCE
#include "words.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 4096 };

static char path[PATH_MAX + 16];
static int file = -1;

void words_open(const char *folder) {
  snprintf(path, sizeof path, "%s/supervisor.err", folder);
  file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
}

void words_to(int fd) {
  if (file >= 0) dup2(file, fd);
}

void say(const char *format, ...) {
  struct stat found;
  va_list rest;
  if (file < 0 || fstat(file, &found) < 0 || found.st_size > MOST_BYTES) return;
  va_start(rest, format);
  vdprintf(file, format, rest);
  va_end(rest);
}

void words_close(void) {
  struct stat found;
  if (file >= 0 && fstat(file, &found) == 0 && found.st_size == 0) unlink(path);
}
