/* See lockAll.h. The kernel would lock ours as well, some hundred MB, and count it: to an
 * unprivileged program that may lock little it would refuse the call. */
#include "lockAll.h"
#include "maps.h"
#include "ownThreads.h"
#include "process.h"
#include "raw.h"
#include "readSafely.h"
#include "rings.h"
#include "signalStack.h"
#include "tasks.h"

#define MOST_OWN 512
#define CURRENT 1
#define FUTURE 2
#define ON_FAULT 4
#define MLOCK_ON_FAULT 1
#define RESOURCE_LOCKED 8
#define NO_LIMIT (~0ul)
#define END_OF_USER (1ul << 47)
/* Of a heap of glibc's malloc, which lies at a multiple of it (malloc/arena.c, HEAP_MAX_SIZE). */
#define HEAP_BYTES (64ul << 20)
#define MOST_HEAP_HEAD 256
#define MOST_EARLY 64

struct range {
  u64 from, to;
};

struct ranges {
  u32 count;
  struct range rows[MOST_OWN];
};

/* Ours, ascending, as the agent says. A list is written while the other one is in use. */
static struct ranges lists[2], *own = &lists[0];

/* `pairs`: where each part of it begins and ends, ascending. */
EXPORT void engine_own_memory(const u64 *pairs, u32 count) {
  struct ranges *next = own == &lists[0] ? &lists[1] : &lists[0];
  next->count = count < MOST_OWN ? count : MOST_OWN;
  for (u32 i = 0; i < next->count; i++)
    next->rows[i] = (struct range){pairs[2 * i], pairs[2 * i + 1]};
  __atomic_store_n(&own, next, __ATOMIC_RELEASE);
}

static void add_range(u64 from, u64 to, void *list) {
  struct ranges *all = list;
  u32 at = all->count;
  if (at == MOST_OWN) return;
  for (; at > 0 && all->rows[at - 1].from > from; at--) all->rows[at] = all->rows[at - 1];
  all->rows[at] = (struct range){from, to};
  all->count++;
}

/* Threads that were there before the program began, some of which the agent does not know yet. */
static u32 early[MOST_EARLY], early_count;

static void add_early(u32 tid, void *unused) {
  (void)unused;
  if (tid != engine_pid && early_count < MOST_EARLY) early[early_count++] = tid;
}

/* To be called before the program begins. */
EXPORT void engine_note_early_threads(void) { tasks_each(add_early, 0); }

static void count_if_program(u32 tid, void *count) {
  for (u32 i = 0; i < early_count; i++)
    if (early[i] == tid) return;
  *(u32 *)count += !thread_is_ignored(tid);
}

/* Whether the first heap of an arena begins there: it begins with where the arena is, right behind.
 */
static int is_arena(const struct mapping *row) {
  u64 arena;
  if (row->start % HEAP_BYTES || !(row->protection & PROT_WRITE)) return 0;
  if (read_safely(&arena, row->start, sizeof arena) != sizeof arena) return 0;
  return arena > row->start && arena - row->start < MOST_HEAP_HEAD;
}

/* glibc gives each thread but the first an arena when it first allocates. In a program of one
 * thread the arenas are those of our threads, at whatever time they came. */
static void add_arenas(const struct map_table *maps, struct ranges *ours) {
  u32 threads = 0;
  tasks_each(count_if_program, &threads);
  for (u32 i = 0; threads <= 1 && i < maps->count; i++) {
    u64 from = maps->rows[i].start;
    if (is_arena(&maps->rows[i])) add_range(from, from + HEAP_BYTES, ours);
  }
}

typedef void (*part_work)(u64 from, u64 to, void *argument);

/* Calls `work` for what of a mapping is not ours. */
static void each_part(const struct mapping *row, const struct ranges *ours, part_work work,
                      void *argument) {
  u64 at = row->start;
  for (u32 i = 0; i < ours->count && ours->rows[i].from < row->end; i++) {
    const struct range *one = &ours->rows[i];
    if (one->to <= at) continue;
    if (one->from > at) work(at, one->from, argument);
    at = one->to;
  }
  if (at < row->end) work(at, row->end, argument);
}

static void each(const struct map_table *maps, const struct ranges *ours, part_work work,
                 void *argument) {
  for (u32 i = 0; i < maps->count && maps->rows[i].end < END_OF_USER; i++)
    each_part(&maps->rows[i], ours, work, argument);
}

static void add(u64 from, u64 to, void *sum) { *(u64 *)sum += to - from; }

/* As mlockall does, it passes over what cannot be read. */
static void lock(u64 from, u64 to, void *flags) {
  raw3(__NR_mlock2, from, to - from, *(long *)flags & ON_FAULT ? MLOCK_ON_FAULT : 0);
}

static u64 limit(void) {
  u64 limits[2] = {NO_LIMIT, NO_LIMIT};
  raw4(__NR_prlimit64, 0, RESOURCE_LOCKED, 0, limits);
  return limits[0];
}

/* Whether the limit does not hold for it: our addresses are more than any limit. */
static int is_privileged(void) {
  u64 bytes = FILE_BYTES + engine_file.stride * engine_file.slot_count;
  long failed = raw3(__NR_mlock2, engine_file.base, bytes, MLOCK_ON_FAULT);
  raw2(__NR_munlock, engine_file.base, bytes);
  return !failed;
}

static long lock_known(long flags, libc_syscall call, const struct map_table *maps,
                       const struct ranges *ours, int *is_partly) {
  u64 sum = 0, most = limit();
  int is_limited = most != NO_LIMIT && !is_privileged();
  each(maps, ours, add, &sum);
  /* Refused, as it would be without us. */
  if (is_limited && (most == 0 || (flags & CURRENT && sum > most)))
    return call(__NR_mlockall, CURRENT, 0, 0, 0, 0, 0);
  *is_partly = flags & FUTURE && is_limited && is_first_process();
  if (!(flags & FUTURE)) raw0(__NR_munlockall);
  else if (!*is_partly) raw1(__NR_mlockall, flags & ~CURRENT);
  if (flags & CURRENT) each(maps, ours, lock, &flags);
  return 0;
}

long lock_all(long flags, libc_syscall call, int *is_partly) {
  struct map_table maps;
  int is_known = flags & (CURRENT | FUTURE) && !(flags & ~(CURRENT | FUTURE | ON_FAULT));
  struct ranges *ours = is_known ? map_memory(sizeof *ours) : 0;
  if (!ours || !maps_open(&maps)) return call(__NR_mlockall, flags, 0, 0, 0, 0, 0);
  const struct ranges *known = __atomic_load_n(&own, __ATOMIC_ACQUIRE);
  for (u32 i = 0; i < known->count; i++) add_range(known->rows[i].from, known->rows[i].to, ours);
  signal_stacks_each(add_range, ours);
  add_range((u64)ours, (u64)ours + sizeof *ours, ours);
  add_arenas(&maps, ours);
  long failed = lock_known(flags, call, &maps, ours, is_partly);
  maps_close(&maps);
  unmap_memory(ours, sizeof *ours);
  return failed;
}
