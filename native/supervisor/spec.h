/* What is to be started. Strings point into one allocation that lives as long as the supervisor. */
#ifndef STROBE_SPEC_H
#define STROBE_SPEC_H

#include "wire.h"
#include <stdint.h>
#include <sys/resource.h>

struct spec {
  uint32_t closed; /* bit n: of an inherited 0 to 2, n is closed in the target */
  int32_t nice;    /* WIRE_NO_NICE: the supervisor's */
  uint32_t limit_count;
  struct rlimit limits[WIRE_LIMITS];
  uint32_t flags, stdin_mode, release_ms, umask, columns, rows, ignored;
  uint64_t max_log_bytes;
  char *path, *cwd;
  char **argv, **envp;
};
int spec_read(int fd, struct spec *spec); /* 0 or errno */

#endif
