/* What is to be started. Strings point into one allocation that lives as long as the supervisor. */
#ifndef STROBE_SPEC_H
#define STROBE_SPEC_H

#include <stdint.h>

struct spec {
  uint32_t flags, stdin_mode, release_ms, umask, columns, rows, ignored;
  uint64_t max_log_bytes;
  char *path, *cwd;
  char **argv, **envp;
};
int spec_read(int fd, struct spec *spec); /* 0 or errno */

#endif
