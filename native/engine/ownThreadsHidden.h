/* How many threads a process has, as it would be without the instrumentation's own. */
#ifndef STROBE_OWN_THREADS_HIDDEN_H
#define STROBE_OWN_THREADS_HIDDEN_H

#include "types.h"

/* AT_FDCWD */
#define CURRENT_FOLDER (-100)

/* stat(2) on x86-64. */
struct file_status {
  u64 device, inode, links;
  u32 mode, owner, group, padding;
  u64 special;
  long size, block_bytes, blocks;
  u64 times[6];
  long reserved[3];
};

/* Takes our threads from the links of /proc/self/task (proc_pid_task(5): two and one for each
 * thread); leaves the status of all other files as it is. */
void own_threads_hide(struct file_status *status);

#endif
