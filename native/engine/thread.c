/* Ring slots and the threads that own them. A slot is claimed at a thread's first traced call,
 * with raw system calls only; its memory is taken from the file system before it is used, so
 * that a full one is a counted loss and not a SIGBUS. */
#include "raw.h"
#include "stop.h"

#define PR_GET_NAME 16
#define MADV_POPULATE_WRITE 23
#define MADV_REMOVE 9
#define FIRST_LEVEL_KEYS 32
#define SEARCH_EVERY 1024
#define EXIT_ROUNDS 4
#define OWN_CALL 2

__thread struct engine_thread engine_thread;
struct ring_file engine_file;

#define MAX_IGNORED 64

static u32 ignored[MAX_IGNORED];
static u32 ignored_count;
static u32 claim_lock;
static u32 exit_key;
static int has_exit_key;
static int (*set_thread_value)(u32, const void *);

static u32 *slot_u32(u8 *slot, u32 offset) {
  return (u32 *)(slot + offset);
}

static void count_lost(u32 offset) {
  __atomic_fetch_add((u64 *)(engine_file.base + offset), 1, __ATOMIC_RELAXED);
}

void thread_count_lost(void) {
  count_lost(FILE_LOST_NO_RING);
}

/* Kernels before 5.14 lack MADV_POPULATE_WRITE: the file is opened again, if it is still ours. */
static COLD int allocate_by_path(u64 offset, u64 length) {
  const int read_write = 2, no_follow = 0400000, close_on_exec = 02000000;
  long file = raw3(__NR_open, engine_file.path, read_write | no_follow | close_on_exec, 0);
  if (file < 0) return 0;
  u64 status[18];
  int same = raw2(__NR_fstat, file, status) == 0 && status[0] == engine_file.device &&
             status[1] == engine_file.inode;
  long failed = same ? raw4(__NR_fallocate, file, 0, offset, length) : -1;
  raw1(__NR_close, file);
  return failed == 0;
}

static int allocate(u8 *slot) {
  long failed = raw3(__NR_madvise, slot, engine_file.stride, MADV_POPULATE_WRITE);
  if (failed == 0) return 1;
  if (failed != -ERR_INVALID) return 0;
  return allocate_by_path((u64)(slot - engine_file.base), engine_file.stride);
}

/* A thread that ended without its destructor (no pthread key, raw clone) still holds its slot. */
static u32 sweep_ended(u32 used) {
  u32 found = 0;
  for (u32 i = 0; i < used; i++) {
    u8 *slot = engine_file.base + FILE_BYTES + engine_file.stride * i;
    if (*slot_u32(slot, SLOT_STATE) != SLOT_STATE_LIVE) continue;
    if (raw3(__NR_tgkill, engine_pid, *slot_u32(slot, SLOT_TID), 0) != -ERR_SEARCH) continue;
    __atomic_store_n(slot_u32(slot, SLOT_STATE), SLOT_STATE_ENDED, __ATOMIC_RELEASE);
    found++;
  }
  return found;
}

/* With the lock held. Positions go on over generations, so an old record never looks new. */
static u8 *find_slot(void) {
  u32 *used = (u32 *)(engine_file.base + FILE_USED_SLOTS);
  for (u32 i = 0; i < engine_file.slot_count; i++) {
    u8 *slot = engine_file.base + FILE_BYTES + engine_file.stride * i;
    int fresh = i >= *used;
    if (!fresh && __atomic_load_n(slot_u32(slot, SLOT_STATE), __ATOMIC_ACQUIRE) != SLOT_STATE_FREE)
      continue;
    if (!allocate(slot)) {
      raw3(__NR_madvise, slot, engine_file.stride, MADV_REMOVE); /* what was got before it failed */
      count_lost(FILE_LOST_NO_MEMORY);
      return 0;
    }
    *slot_u32(slot, SLOT_TID) = (u32)raw0(__NR_gettid);
    *slot_u32(slot, SLOT_GENERATION) += 1;
    raw2(__NR_prctl, PR_GET_NAME, slot + SLOT_NAME);
    __atomic_store_n(slot_u32(slot, SLOT_STATE), SLOT_STATE_LIVE, __ATOMIC_RELEASE);
    if (fresh) __atomic_store_n(used, i + 1, __ATOMIC_RELEASE);
    return slot;
  }
  sweep_ended(*used);
  return 0;
}

/* Our own call of a function that may be traced: it must not be recorded. */
static int ask_for_exit(struct engine_thread *self) {
  u8 *slot = self->slot;
  if (!has_exit_key) return 0;
  self->claiming = OWN_CALL;
  self->slot = 0;
  int failed = set_thread_value(exit_key, self);
  self->slot = slot;
  self->claiming = 0;
  return failed == 0;
}

struct tids {
  const u32 *list;
  u32 count;
};

static void ignore_unless_listed(u32 tid, void *argument) {
  const struct tids *kept = argument;
  for (u32 i = 0; i < kept->count; i++)
    if (kept->list[i] == tid) return;
  if (ignored_count < MAX_IGNORED) ignored[ignored_count++] = tid;
}

struct all_tids {
  u32 *list;
  u32 room, count;
};

static void add_tid(u32 tid, void *argument) {
  struct all_tids *all = argument;
  if (all->count < all->room) all->list[all->count] = tid;
  all->count++;
}

/* Fills `tids` with the threads that exist now; returns how many those are. */
EXPORT u32 engine_threads(u32 *tids, u32 room) {
  struct all_tids all = {tids, room, 0};
  stop_each_thread(add_tid, &all);
  return all.count;
}

/* Threads that exist now and are not listed are the instrumentation's own: they record nothing. */
EXPORT void engine_keep_threads(const u32 *tids, u32 count) {
  struct tids kept = {tids, count};
  ignored_count = 0;
  stop_each_thread(ignore_unless_listed, &kept);
}

static int is_ignored(void) {
  u32 tid = (u32)raw0(__NR_gettid);
  for (u32 i = 0; i < ignored_count; i++)
    if (ignored[i] == tid) return 1;
  return 0;
}

/* The slot of this thread, claimed now if it can be; else counts a lost event and answers null. */
COLD u8 *thread_claim(void) {
  struct engine_thread *self = &engine_thread;
  if (self->claiming == OWN_CALL) return 0;
  if (self->claiming || self->dead || (self->refused && self->refused++ % SEARCH_EVERY)) {
    thread_count_lost();
    return 0;
  }
  self->claiming = is_ignored() ? OWN_CALL : 1;
  if (self->claiming == OWN_CALL) return 0;
  while (__atomic_exchange_n(&claim_lock, 1, __ATOMIC_ACQUIRE)) raw0(__NR_sched_yield);
  u8 *slot = find_slot();
  __atomic_store_n(&claim_lock, 0, __ATOMIC_RELEASE);
  if (slot) {
    *(u64 *)(slot + SLOT_OWNER) = (u64)&self->slot;
    ask_for_exit(self);
    self->refused = 0;
    self->slot = slot;
  } else {
    self->refused = 1;
    thread_count_lost();
  }
  self->claiming = 0;
  return slot;
}

/* Asks for further rounds first, so that other destructors' calls are still recorded. */
static void thread_exit(void *value) {
  struct engine_thread *self = value;
  u8 *slot = self->slot;
  if (!slot || !engine_live) return;
  if (++self->rounds < EXIT_ROUNDS && ask_for_exit(self)) return;
  self->dead = 1;
  self->slot = 0;
  raw2(__NR_prctl, PR_GET_NAME, slot + SLOT_NAME);
  __atomic_store_n(slot_u32(slot, SLOT_STATE), SLOT_STATE_ENDED, __ATOMIC_RELEASE);
}

/* Keys above the first 32 would make pthread_setspecific allocate: then sweeping must do. */
int thread_start(int (*key_create)(u32 *, void (*)(void *)), int (*set_specific)(u32, const void *)) {
  if (set_thread_value) return has_exit_key; /* a process that was let go before */
  if (!key_create || !set_specific || key_create(&exit_key, thread_exit) != 0) return 0;
  set_thread_value = set_specific;
  has_exit_key = exit_key < FIRST_LEVEL_KEYS;
  return has_exit_key;
}
