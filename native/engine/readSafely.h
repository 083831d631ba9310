/* Reading memory that may not be there. */
#ifndef STROBE_READ_SAFELY_H
#define STROBE_READ_SAFELY_H

#include "process.h"
#include "raw.h"

/* As read_safely, where the kernel was built without process_vm_readv. */
u64 read_by_file(void *to, u64 from, u64 length);

/* Copies from any address of this process without a fault. Returns how many bytes of the first
 * range, then of the second, could be read; 0 when nothing could. */
static inline u64 read_safely(void *to, u64 from, u64 length) {
  if (engine_sandboxed)
    return 0; /* the call may be forbidden, and its answer the end of the program */
  struct memory_range local = {to, length};
  u64 first = 4096 - (from & 4095);
  struct memory_range remote[2] = {{(const void *)from, length < first ? length : first},
                                   {(const void *)(from + first), length - first}};
  long count =
      raw6(__NR_process_vm_readv, engine_pid, &local, 1, remote, length <= first ? 1 : 2, 0);
  if (count == -ERR_NO_CALL) return read_by_file(to, from, length);
  return count < 0 ? 0 : (u64)count;
}

#endif
