/* See leave.h. A thread may be in the middle of a record, for as long as it likes: the place of the
 * rings stays readable and writable for ever. */
#include "leave.h"
#include "maps.h"
#include "tap.h"

static struct {
  u64 at, bytes;
} left;

long leave_reuse(u64 bytes, long file) {
  if (left.at && left.bytes != bytes) left.at = 0;
  int fixed = left.at ? MAP_FIXED : 0;
  return raw6(__NR_mmap, left.at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | fixed, file, 0);
}

/* Takes the slot from its thread, if that lives and still has it: its memory may be gone. For the
 * reader the thread has ended. */
static void release(u8 *slot) {
  u64 owner = *(u64 *)(slot + SLOT_OWNER), held = 0, none = 0;
  if (*(u32 *)(slot + SLOT_STATE) != SLOT_STATE_LIVE) return;
  __atomic_store_n((u32 *)(slot + SLOT_STATE), SLOT_STATE_ENDED, __ATOMIC_RELEASE);
  if (raw3(__NR_tgkill, engine_pid, *(u32 *)(slot + SLOT_TID), 0) == -ERR_SEARCH) return;
  if (read_safely(&held, owner, sizeof held) != sizeof held || held != (u64)slot) return;
  struct memory_range from = {&none, sizeof none}, to = {(const void *)owner, sizeof none};
  raw6(__NR_process_vm_writev, engine_pid, &from, 1, &to, 1, 0);
}

/* To be called when no hook is armed any more. */
EXPORT void engine_leave(void) {
  if (!engine_live) return;
  __atomic_store_n(&engine_live, 0, __ATOMIC_SEQ_CST);
  tap_close();
  u32 used = *(u32 *)(engine_file.base + FILE_USED_SLOTS);
  for (u32 i = 0; i < used && i < engine_file.slot_count; i++)
    release(engine_file.base + FILE_BYTES + engine_file.stride * i);
  left.bytes = FILE_BYTES + engine_file.stride * engine_file.slot_count;
  long at = raw6(__NR_mmap, engine_file.base, left.bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  left.at = at == (long)engine_file.base ? (u64)at : 0;
}
