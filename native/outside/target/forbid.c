/* See forbid.h. Who is about to make a call counts it before it looks whether that is forbidden;
 * who forbids it writes that before looking whether any is counted. */
#include "forbid.h"
#include "../../engine/raw.h"

/* How often others are let run until their calls have begun; one that a jump left is never over. */
#define PATIENCE 65536
#define FUTEX_WAKE 1
#define MADV_DONTNEED 4

const u16 forbid_numbers[] = {
    [OWN_CALL_PROCESS_VM_READV] = __NR_process_vm_readv,
    [OWN_CALL_FUTEX] = __NR_futex,
    [OWN_CALL_MADVISE] = __NR_madvise,
    [OWN_CALL_GETTID] = __NR_gettid,
    [OWN_CALL_PRCTL] = __NR_prctl,
    [OWN_CALL_GETPID] = __NR_getpid,
    [OWN_CALL_SCHED_YIELD] = __NR_sched_yield,
    [OWN_CALL_NANOSLEEP] = __NR_nanosleep,
    [OWN_CALL_KILL] = __NR_kill,
    [OWN_CALL_TGKILL] = __NR_tgkill,
    [OWN_CALL_SIGALTSTACK] = __NR_sigaltstack,
    [OWN_CALL_ARCH_PRCTL] = __NR_arch_prctl,
    [OWN_CALL_CLOCK_GETTIME] = __NR_clock_gettime,
    [OWN_CALL_UTIMENSAT] = __NR_utimensat,
};
/* Of threads that have no area yet. */
static u64 calls_without;

u32 forbid_count(void) { return sizeof forbid_numbers / sizeof *forbid_numbers; }

/* One that is not among them is not made once anything is forbidden. */
static u32 bit_of(long number) {
  for (u32 i = 0; i < forbid_count(); i++)
    if (forbid_numbers[i] == number) return 1u << i;
  return ~0u;
}

/* Of the thread: of Go the stack that this runs on. Of C there may be none yet. */
static struct area *own_area(void) {
  struct area *area = (struct area *)((u64)__builtin_frame_address(0) & ~(AREA_BYTES - 1ul));
  if (!outside_settings.thread_number) return area;
  if (!outside_settings.has_threads) return 0;
  __asm__("mov %%fs:%c1, %0" : "=r"(area) : "i"(THREAD_WORD));
  return area;
}

int forbid_has(long number) { return (RELAXED(outside_settings.forbidden) & bit_of(number)) != 0; }

long raw_asks(long number, long a, long b, long c, long d, long e, long f) {
  struct area *area = own_area();
  u64 *calls = area ? &area->calls : &calls_without;
  __atomic_fetch_add(calls, 1, __ATOMIC_SEQ_CST);
  long answer = forbid_has(number) ? -ERR_PERM : (raw)(number, a, b, c, d, e, f);
  __atomic_fetch_sub(calls, 1, __ATOMIC_RELEASE);
  return answer;
}

static void await(const u64 *calls, int may_yield) {
  for (u32 i = 0; i < PATIENCE && RELAXED(*calls); i++)
    if (may_yield) (raw)(__NR_sched_yield, 0, 0, 0, 0, 0, 0);
}

static void await_others(const struct area *own, int may_yield) {
  const struct settings *settings = &outside_settings;
  u32 count = RELAXED(settings->next_area);
  for (u32 i = 0; i < count && i < settings->area_count; i++) {
    const struct area *area = (const struct area *)(settings->areas + (u64)i * AREA_BYTES);
    if (area != own) await(&area->calls, may_yield);
  }
  if (own) await(&calls_without, may_yield);
}

/* Wakes the helper (ahead.c), which says it. */
static void tell(u32 calls) {
  u8 *file = outside_settings.file;
  u32 *parts = (u32 *)(file + FILE_PARTS);
  __atomic_store_n((u64 *)(file + FILE_FORBIDDEN_AT), timestamp(), __ATOMIC_RELAXED);
  __atomic_fetch_or((u32 *)(file + FILE_FORBIDDEN), calls, __ATOMIC_RELEASE);
  __atomic_fetch_add(parts, 1, __ATOMIC_RELEASE);
  raw3(__NR_futex, parts, FUTEX_WAKE, 1);
}

void forbid(const struct area *area, u32 calls, int is_of_all) {
  if (calls & ~RELAXED(outside_settings.forbidden)) tell(calls);
  u32 before = __atomic_fetch_or(&outside_settings.forbidden, calls, __ATOMIC_SEQ_CST);
  if (calls && is_of_all) await_others(area, !(before & bit_of(__NR_sched_yield)));
}

void forbid_all(void) {
  const struct settings *own = &outside_settings;
  raw3(__NR_madvise, own->switches, own->switches_bytes, MADV_DONTNEED);
  forbid(0, ~0u, 0);
}
