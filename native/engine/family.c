/* See family.h. */
#include "family.h"
#include "raw.h"
#include "rings.h"

u8 *family_page;

static int take(u64 bytes, u64 most) {
  u64 taken = __atomic_add_fetch(family_count(FILE_FORKED_TAKEN), bytes, __ATOMIC_RELAXED);
  if (taken - __atomic_load_n(family_count(FILE_FORKED_GIVEN_BACK), __ATOMIC_RELAXED) > most) {
    __atomic_fetch_sub(family_count(FILE_FORKED_TAKEN), bytes, __ATOMIC_RELAXED);
    return 0;
  }
  __atomic_fetch_add((u64 *)(engine_file.base + FILE_TAKEN), bytes, __ATOMIC_RELAXED);
  return 1;
}

/* What a process still has at its end the reader gives back when it has removed the file. */
int family_take(u64 bytes) { return take(bytes, RECORD_FORKED_BYTES); }

int family_grow(u64 bytes) { return take(bytes, RECORD_FORKED_BYTES / 2); }

u64 family_room(void) {
  u64 taken =
      RELAXED(*family_count(FILE_FORKED_TAKEN)) - RELAXED(*family_count(FILE_FORKED_GIVEN_BACK));
  return taken < RECORD_FORKED_BYTES / 2 ? RECORD_FORKED_BYTES / 2 - taken : 0;
}

void family_give(u64 bytes) {
  __atomic_fetch_sub(family_count(FILE_FORKED_TAKEN), bytes, __ATOMIC_RELAXED);
  __atomic_fetch_sub((u64 *)(engine_file.base + FILE_TAKEN), bytes, __ATOMIC_RELAXED);
}

void family_count_lost(void) {
  if (!family_page) return; /* nothing is to be recorded any more */
  __atomic_fetch_add(family_count(FILE_FORKED_LOST), 1, __ATOMIC_RELAXED);
}

int family_may_crash(void) {
  return family_page && __atomic_fetch_add(family_count(FILE_FORKED_CRASHES), 1, __ATOMIC_RELAXED) <
                            RECORD_FORKED_CRASHES;
}
