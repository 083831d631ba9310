/* A path as another process finds it. */
#ifndef STROBE_PATH_H
#define STROBE_PATH_H

#include <sys/types.h>

/* Whose root, working directory and /proc/self are meant. */
struct finder {
  pid_t process, thread;
};
enum { FROM_WORKING_DIRECTORY = -1 };
/* `from`: a number of the process's descriptors, for a relative path. An O_PATH descriptor, or -1.
 */
int path_open(const struct finder *finder, int from, const char *path);

#endif
