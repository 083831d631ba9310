/* See family.h. */
#include "family.h"
#include "maps.h"
#include "raw.h"
#include "rings.h"
#include "text.h"
#include "wake.h"

static u8 *page;   /* null: nothing is to be recorded any more */
static u8 *mapped; /* once and for ever: who is just leaving may count there */
static u64 most = RECORD_FORKED_BYTES;
static char path[PATH_BYTES];

static inline u64 *count(u32 offset) { return (u64 *)(page + offset); }

long family_open(const char *ring_path) {
  u32 folder = 0;
  put_text(path, 0, ring_path);
  for (u32 at = 0; path[at]; at++)
    if (path[at] == '/') folder = at + 1;
  put_text(path, folder, FAMILY_NAME);
  long opened = raw_open(path, OPEN_READ_WRITE | OPEN_CREATE | OPEN_NO_LINK, 0600);
  if (opened < 0) return opened;
  long failed = raw4(__NR_fallocate, opened, 0, 0, FAMILY_BYTES);
  long at = failed ? failed : map_file_at(mapped, FAMILY_BYTES, opened);
  raw1(__NR_close, opened);
  if (at < 0 && at > -4096) return at;
  page = mapped = (u8 *)at;
  if (*count(FAMILY_AT_MAGIC) != FAMILY_MAGIC) *(u32 *)(page + FAMILY_AT_WAKES) = 1;
  __atomic_store_n(count(FAMILY_AT_MAGIC), FAMILY_MAGIC, __ATOMIC_RELEASE);
  return 0;
}

/* Where there is little memory, forked children take less of it. */
EXPORT void engine_set_forked_bytes(u64 bytes) { most = bytes; }

void family_close(void) {
  page = 0;
  map_file_at(mapped, FAMILY_BYTES, -1);
}

int family_is_open(void) { return page != 0; }

void family_count_ring(void) {
  __atomic_fetch_add(count(FAMILY_AT_RINGS), 1, __ATOMIC_RELEASE);
  wake_reader((u32 *)(page + FAMILY_AT_ASLEEP), (u32 *)(page + FAMILY_AT_WAKES), path);
}

void family_count_without(void) {
  __atomic_fetch_add(count(FAMILY_AT_WITHOUT), 1, __ATOMIC_RELAXED);
}

static int take(u64 bytes, u64 limit) {
  u64 taken = __atomic_add_fetch(count(FAMILY_AT_TAKEN), bytes, __ATOMIC_RELAXED);
  if (taken - __atomic_load_n(count(FAMILY_AT_GIVEN_BACK), __ATOMIC_RELAXED) > limit) {
    __atomic_fetch_sub(count(FAMILY_AT_TAKEN), bytes, __ATOMIC_RELAXED);
    return 0;
  }
  __atomic_fetch_add((u64 *)(engine_file.base + FILE_TAKEN), bytes, __ATOMIC_RELAXED);
  return 1;
}

/* What a process still has at its end the reader gives back when it has removed the file. */
int family_take(u64 bytes) { return take(bytes, most); }

int family_grow(u64 bytes) { return take(bytes, most / 2); }

u64 family_room(void) {
  u64 taken = RELAXED(*count(FAMILY_AT_TAKEN)) - RELAXED(*count(FAMILY_AT_GIVEN_BACK));
  return taken < most / 2 ? most / 2 - taken : 0;
}

void family_give(u64 bytes) {
  __atomic_fetch_sub(count(FAMILY_AT_TAKEN), bytes, __ATOMIC_RELAXED);
  __atomic_fetch_sub((u64 *)(engine_file.base + FILE_TAKEN), bytes, __ATOMIC_RELAXED);
}

void family_count_lost(void) {
  u8 *at = RELAXED(page);
  if (at) __atomic_fetch_add((u64 *)(at + FAMILY_AT_LOST), 1, __ATOMIC_RELAXED);
}

int family_may_crash(void) {
  return page &&
         __atomic_fetch_add(count(FAMILY_AT_CRASHES), 1, __ATOMIC_RELAXED) < RECORD_FORKED_CRASHES;
}
