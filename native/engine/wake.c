/* See wake.h. */
#include "wake.h"
#include "cpu.h"
#include "process.h"
#include "raw.h"

#define AT_FDCWD -100
#define AT_SYMLINK_NOFOLLOW 0x100

COLD void wake_reader(u32 *asleep, u32 *wakes, const char *path) {
  if (!__atomic_load_n(asleep, __ATOMIC_ACQUIRE) ||
      !__atomic_exchange_n(asleep, 0, __ATOMIC_ACQ_REL))
    return;
  /* In a sandbox the call may be the end of the program. */
  if (engine_sandboxed || raw4(__NR_utimensat, AT_FDCWD, path, 0, AT_SYMLINK_NOFOLLOW) != 0)
    __atomic_store_n(wakes, 0, __ATOMIC_RELEASE);
}
