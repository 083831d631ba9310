/* See exceptionFile.h. Knows no libc, and touches no memory of the program but by
 * process_vm_readv. */
#include "exceptionFile.h"
#include "raw.h"

#define LOCK_ROUNDS 4000
#define LOCK_YIELDS \
  200 /* then it sleeps: who holds the lock may wait for this processor, or read a long map */
#define LOCK_SLEEP_NS 50000
#define OPEN_BUCKETS 64
#define OPEN_WAYS 8
/* So much stays free when one that was raised is put, for the ends of those under way. */
#define ROOM_FOR_ENDS (8 * (EXCEPTION_HEAD_BYTES + EXCEPTION_STACK_BYTES))

/* By address; the newest of each bucket. */
static u64 recorded[OPEN_BUCKETS][OPEN_WAYS];
static u32 newest[OPEN_BUCKETS];

/* A process that died with the lock does not hold it any more. One that was stopped with it is
 * waited for once. */
int exception_lock(u8 *file, u32 pid) {
  static u32 stopped;
  u32 *lock = (u32 *)(file + EXCEPTION_AT_LOCK), holder = 0;
  for (u32 round = 0; round < LOCK_ROUNDS; round++) {
    holder = 0;
    if (__atomic_compare_exchange_n(lock, &holder, pid, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      SET_RELAXED(stopped, 0);
      return 1;
    }
    if (holder == RELAXED(stopped)) return 0;
    if (holder != pid && raw2(__NR_kill, holder, 0) == -ERR_SEARCH &&
        __atomic_compare_exchange_n(lock, &holder, pid, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return 1;
    u64 time[2] = {0, LOCK_SLEEP_NS};
    if (round < LOCK_YIELDS) raw0(__NR_sched_yield);
    else raw2(__NR_nanosleep, time, 0);
  }
  SET_RELAXED(stopped, holder);
  return 0;
}

void exception_unlock(u8 *file) {
  __atomic_store_n((u32 *)(file + EXCEPTION_AT_LOCK), 0, __ATOMIC_RELEASE);
}

/* Into the ring, which may have no memory left, from memory that may be none. */
static int put(u8 *file, u32 pid, u64 at, u64 from, u64 length) {
  while (length) {
    u64 offset = at & (EXCEPTION_BYTES - 1);
    u64 part = EXCEPTION_BYTES - offset < length ? EXCEPTION_BYTES - offset : length;
    struct memory_range local = {file + EXCEPTION_HEADER_BYTES + offset, part},
                        remote = {(void *)from, part};
    if (raw6(__NR_process_vm_readv, pid, &local, 1, &remote, 1, 0) != (long)part) return 0;
    at += part;
    from += part;
    length -= part;
  }
  return 1;
}

static u64 padded(u64 length) { return (length + 7) & ~7ul; }

static u64 room(u8 *file) {
  return EXCEPTION_BYTES -
         (*exception_header(file, EXCEPTION_AT_WRITTEN) -
          __atomic_load_n(exception_header(file, EXCEPTION_AT_READ), __ATOMIC_ACQUIRE));
}

int exception_put(u8 *file, u32 pid, struct exception_head *head,
                  const struct exception_parts *parts) {
  u64 at = *exception_header(file, EXCEPTION_AT_WRITTEN);
  u64 whole = sizeof *head + padded(head->type_bytes) + padded(head->message_bytes) +
              padded(head->stack_bytes);
  head->length = (u32)whole;
  u64 kept = head->kind == EXCEPTION_KIND_RAISED ? ROOM_FOR_ENDS : 0;
  if (room(file) < whole + kept || !put(file, pid, at, (u64)head, sizeof *head)) return 0;
  u64 to = at + sizeof *head;
  if (!put(file, pid, to, (u64)parts->type, head->type_bytes)) return 0;
  to += padded(head->type_bytes);
  if (!put(file, pid, to, (u64)parts->message, head->message_bytes)) return 0;
  to += padded(head->message_bytes);
  if (!put(file, pid, to, parts->stack, head->stack_bytes)) return 0;
  __atomic_store_n(exception_header(file, EXCEPTION_AT_WRITTEN), at + whole, __ATOMIC_SEQ_CST);
  return 1;
}

void exception_count(u8 *file, u32 offset) {
  __atomic_fetch_add(exception_header(file, offset), 1, __ATOMIC_RELAXED);
}

/* Threads that throw at once do so at like places of their arenas: what differs are high bits. */
static u32 bucket_of(u64 exception) {
  return (u32)(exception * 0x9e3779b97f4a7c15ul >> 32) % OPEN_BUCKETS;
}

static u64 *place_of(u64 exception) {
  u64 *bucket = recorded[bucket_of(exception)];
  for (u32 way = 0; way < OPEN_WAYS; way++)
    if (__atomic_load_n(&bucket[way], __ATOMIC_RELAXED) == exception) return &bucket[way];
  return 0;
}

int exception_is_known(u64 exception) { return place_of(exception) != 0; }

void exception_remember(u64 exception) {
  u32 bucket = bucket_of(exception);
  if (!place_of(exception))
    __atomic_store_n(&recorded[bucket][newest[bucket]++ % OPEN_WAYS], exception, __ATOMIC_RELAXED);
}

void exception_forget(u64 exception) {
  u64 *place = place_of(exception);
  if (place) __atomic_store_n(place, 0, __ATOMIC_RELAXED);
}

int exception_is_wanted(void) {
  static u64 last_turn, in_turn;
  u64 turn = turns(timestamp()) >> EXCEPTION_TURN_SHIFT;
  if (__atomic_exchange_n(&last_turn, turn, __ATOMIC_RELAXED) != turn) SET_RELAXED(in_turn, 0);
  u64 number = __atomic_add_fetch(&in_turn, 1, __ATOMIC_RELAXED);
  return number <= EXCEPTION_WHOLE_PER_TURN ||
         (number % EXCEPTION_THINNING == 0 && number <= EXCEPTION_MOST_PER_TURN);
}
