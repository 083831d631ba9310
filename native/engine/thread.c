/* Ring slots and the threads that own them. A slot is claimed at a thread's first traced call,
 * with raw system calls only; its memory is taken from the file system before it is used, so
 * that a full one is a counted loss and not a SIGBUS. */
#include "thread.h"
#include "family.h"
#include "forked.h"
#include "grow.h"
#include "noSignals.h"
#include "ownThreads.h"
#include "process.h"
#include "raw.h"
#include "ringFile.h"
#include "ringSpace.h"
#include "rings.h"
#include "signalStack.h"
#include "signals.h"
#include "tables.h"
#include "tasks.h"
#include "waiting.h"

#define PR_GET_NAME 16
#define FIRST_LEVEL_KEYS 32
#define SEARCH_EVERY 1024
#define EXIT_ROUNDS 4
#define OWN_CALL 2

static u32 exit_key;
static int has_exit_key;
static int (*set_thread_value)(u32, const void *);

static u32 *slot_u32(u8 *slot, u32 offset) { return (u32 *)(slot + offset); }

static void count_lost(u32 offset) {
  __atomic_fetch_add((u64 *)(engine_file.base + offset), 1, __ATOMIC_RELAXED);
}

/* An entry of a thread without a slot. */
static void count_entry_lost(void) {
  if (RELAXED(engine_process.epoch)) count_lost(FILE_LOST_NO_RING);
  else family_count_lost();
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
  u32 tid = (u32)raw0(__NR_gettid), found = engine_file.slot_count;
  for (u32 i = 0; i < engine_file.slot_count; i++) {
    u8 *slot = engine_file.base + FILE_BYTES + engine_file.stride * i;
    int fresh = i >= *used;
    u32 state =
        fresh ? SLOT_STATE_FREE : __atomic_load_n(slot_u32(slot, SLOT_STATE), __ATOMIC_ACQUIRE);
    /* A thread of our number that ended without its destructor. */
    if (state == SLOT_STATE_LIVE && *slot_u32(slot, SLOT_TID) == tid)
      __atomic_store_n(slot_u32(slot, SLOT_STATE), SLOT_STATE_ENDED, __ATOMIC_RELEASE);
    if (state == SLOT_STATE_FREE && !fresh) grow_leave(slot);
    if (state == SLOT_STATE_FREE && found == engine_file.slot_count) found = i;
    if (fresh) break;
  }
  if (found == engine_file.slot_count) {
    sweep_ended(*used);
    return 0;
  }
  u8 *slot = engine_file.base + FILE_BYTES + engine_file.stride * found;
  int fresh = found >= *used;
  if (!ring_file_allocate(slot, fresh)) {
    count_lost(FILE_LOST_NO_MEMORY);
    return 0;
  }
  *slot_u32(slot, SLOT_TID) = tid;
  *slot_u32(slot, SLOT_GENERATION) += 1;
  *slot_u32(slot, SLOT_WAITING_BYTES) = *slot_u32(slot, SLOT_NESTED_COUNT) = 0;
  grow_begin(slot, fresh);
  raw2(__NR_prctl, PR_GET_NAME, slot + SLOT_NAME);
  __atomic_store_n(slot_u32(slot, SLOT_STATE), SLOT_STATE_LIVE, __ATOMIC_SEQ_CST);
  *slot_u32(slot, SLOT_ASLEEP) =
      __atomic_load_n((u32 *)(engine_file.base + FILE_ASLEEP), __ATOMIC_ACQUIRE);
  if (fresh) __atomic_store_n(used, found + 1, __ATOMIC_RELEASE);
  return slot;
}

/* Our own call of a function that may be traced: it must not be recorded. */
static int ask_for_exit(struct engine_thread *self) {
  u64 slot = self->slot;
  if (!has_exit_key) return 0;
  self->claiming = OWN_CALL;
  self->slot = 0;
  int failed = set_thread_value(exit_key, self);
  self->slot = slot;
  self->claiming = 0;
  return failed == 0;
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
  tasks_each(add_tid, &all);
  return all.count;
}

/* These threads are the instrumentation's own: they record nothing and take no signal of the
 * program's. Returns how many still take them. */
EXPORT u32 engine_ignore_threads(const u32 *tids, u32 count) {
  return threads_take_no_signals(tids, own_threads_set(tids, count));
}

/* A process that shares our memory without being ours (vfork, raw clone): what it calls before its
 * parent goes on is the parent's, but a slot is not to be claimed in its name. */
static int is_stranger(void) { return (u32)raw0(__NR_getpid) != engine_pid; }

/* With all signals blocked. */
static u8 *claim(struct engine_thread *self) {
  if (!RELAXED(engine_process.epoch) && !forked_begin()) return 0;
  /* Asked once: the recording may end meanwhile. */
  u64 epoch = RELAXED(engine_process.epoch);
  if (!epoch) return 0;
  if (self->epoch != epoch) *self = (struct engine_thread){.epoch = (u32)epoch};
  if (is_stranger()) return 0;
  if (!engine_file.is_forked && thread_is_ignored((u32)raw0(__NR_gettid))) {
    self->claiming = OWN_CALL;
    return 0;
  }
  take_lock(&engine_process.claim_lock);
  u8 *slot = 0;
  if (ring_space_begin()) {
    slot = find_slot();
    ring_space_end();
  }
  give_lock(&engine_process.claim_lock);
  self->refused = !slot;
  if (slot) {
    ask_for_exit(self);
    signal_stack_begin();
    self->slot = (u64)slot + epoch;
  }
  return slot;
}

/* A signal whose handler calls traced functions, or forks, must not find us half done. */
COLD u8 *thread_claim(void) {
  struct engine_thread *self = &engine_thread;
  u64 before;
  u8 *slot = 0;
  if (self->claiming == OWN_CALL) return 0;
  int is_new = self->epoch != RELAXED(engine_process.epoch);
  int may_try = is_new || (!self->dead && (!self->refused || ++self->refused % SEARCH_EVERY == 0));
  if (RELAXED(engine_process.has_failed) || engine_sandboxed) may_try = 0;
  if (may_try) {
    signals_block(&before);
    slot = claim(self);
    signals_set(&before);
  }
  if (!slot && self->claiming != OWN_CALL) count_entry_lost();
  return slot;
}

/* Where nothing of it is traced, too, an overflow of its stack is to be written down. What it is
 * given goes with it: without a destructor it gets nothing. */
void thread_began(void) {
  struct engine_thread *self = &engine_thread;
  u64 before;
  if (self->slot || self->began || self->claiming == OWN_CALL || engine_sandboxed || is_stranger())
    return;
  self->began = 1;
  signals_block(&before);
  if (ask_for_exit(self)) signal_stack_begin();
  signals_set(&before);
}

/* Asks for further rounds first, so that other destructors' calls are still recorded. */
static void thread_exit(void *value) {
  struct engine_thread *self = value;
  if (!self->slot) {
    if (!engine_sandboxed) signal_stack_end();
    return;
  }
  u8 *slot = thread_slot();
  if (!slot) return;
  if (++self->rounds < EXIT_ROUNDS && ask_for_exit(self)) return;
  self->dead = 1;
  waiting_write(slot);
  self->slot = 0;
  signal_stack_end();
  raw2(__NR_prctl, PR_GET_NAME, slot + SLOT_NAME);
  __atomic_store_n(slot_u32(slot, SLOT_STATE), SLOT_STATE_ENDED, __ATOMIC_RELEASE);
}

/* Keys above the first 32 would make pthread_setspecific allocate: then sweeping must do. */
int thread_start(int (*key_create)(u32 *, void (*)(void *)),
                 int (*set_specific)(u32, const void *)) {
  if (set_thread_value) return has_exit_key; /* a process that was let go before */
  if (!key_create || !set_specific || key_create(&exit_key, thread_exit) != 0) return 0;
  set_thread_value = set_specific;
  has_exit_key = exit_key < FIRST_LEVEL_KEYS;
  return has_exit_key;
}
