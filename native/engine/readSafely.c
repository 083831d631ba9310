/* See readSafely.h. */
#include "readSafely.h"
#include "cpu.h"
#include "raw.h"

COLD u64 read_by_file(void *to, u64 from, u64 length) {
  long file = raw_open("/proc/self/mem", OPEN_READ, 0);
  if (file < 0) return 0;
  long count = raw4(__NR_pread64, file, to, length, from);
  raw1(__NR_close, file);
  return count < 0 ? 0 : (u64)count;
}
