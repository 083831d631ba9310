/* See exceptions.h. Runs inside the thread that throws: no libc, and no memory of the program is
 * touched but by process_vm_readv. */
#include "exceptions.h"
#include "clock.h"
#include "cpu.h"
#include "exceptionHooks.h"
#include "jumps.h"
#include "maps.h"
#include "process.h"
#include "raw.h"
#include "ringFile.h"
#include "rings.h"
#include "signals.h"
#include "sites.h"
#include "tables.h"
#include "text.h"
#include "thread.h"
#include "thrown.h"
#include "wake.h"

#define FILE_BYTES_ALL (EXCEPTION_HEADER_BYTES + EXCEPTION_BYTES)
#define LOCK_ROUNDS 4000
#define LOCK_YIELDS \
  200 /* then it sleeps: who holds the lock may wait for this processor, or read a long map */
#define LOCK_SLEEP_NS 50000
#define MAPS_CAPACITY 0x100000ul
#define MAPS_EVERY_NS 100000000ul
#define OPEN_BUCKETS 64
#define OPEN_WAYS 8
/* So much stays free when one that was raised is put, for the ends of those under way. */
#define ROOM_FOR_ENDS (8 * (EXCEPTION_HEAD_BYTES + EXCEPTION_STACK_BYTES))

struct head {
  u32 length, kind;
  u64 time;
  u32 pid, tid;
  u64 exception, language;
  u32 type_bytes, message_bytes, stack_bytes, message;
  u64 registers[EXCEPTION_REGISTERS];
};
_Static_assert(sizeof(struct head) == EXCEPTION_HEAD_BYTES, "the head is the contract's");
_Static_assert(__builtin_offsetof(struct head, registers) == EXCEPTION_HEAD_REGISTERS,
               "the head is the contract's");

static u8 *file; /* mapped once and for ever, as that of tap.c */
static char file_path[PATH_BYTES];
static u32 is_open;
static u32 kinds[EXCEPTION_MAX_HOOKS];
/* The recorded exceptions that may be caught yet, by address; the newest of each bucket. */
static u64 recorded[OPEN_BUCKETS][OPEN_WAYS];
static u32 newest[OPEN_BUCKETS];
static u64 maps_hash, maps_looked, maps_pid;

static u64 *header(u32 offset) { return (u64 *)(file + offset); }

/* A process that died with the lock does not hold it any more. One that was stopped with it is
 * waited for once. */
static int lock_take(u32 pid) {
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

static void lock_give(void) {
  __atomic_store_n((u32 *)(file + EXCEPTION_AT_LOCK), 0, __ATOMIC_RELEASE);
}

/* Into the ring, which may have no memory left, from memory that may be none. */
static int put(u32 pid, u64 at, u64 from, u64 length) {
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

static u64 room(void) {
  return EXCEPTION_BYTES - (*header(EXCEPTION_AT_WRITTEN) -
                            __atomic_load_n(header(EXCEPTION_AT_READ), __ATOMIC_ACQUIRE));
}

/* With the lock held. */
static int put_record(struct head *head, const void *type, const void *message, u64 stack) {
  u64 at = *header(EXCEPTION_AT_WRITTEN);
  u64 whole = sizeof *head + padded(head->type_bytes) + padded(head->message_bytes) +
              padded(head->stack_bytes);
  head->length = (u32)whole;
  u64 kept = head->kind == EXCEPTION_KIND_RAISED ? ROOM_FOR_ENDS : 0;
  if (room() < whole + kept || !put(head->pid, at, (u64)head, sizeof *head)) return 0;
  u64 to = at + sizeof *head;
  if (!put(head->pid, to, (u64)type, head->type_bytes)) return 0;
  to += padded(head->type_bytes);
  if (!put(head->pid, to, (u64)message, head->message_bytes)) return 0;
  to += padded(head->message_bytes);
  if (!put(head->pid, to, stack, head->stack_bytes)) return 0;
  __atomic_store_n(header(EXCEPTION_AT_WRITTEN), at + whole, __ATOMIC_SEQ_CST);
  wake_reader((u32 *)(file + EXCEPTION_AT_ASLEEP), (u32 *)(file + EXCEPTION_AT_WAKES), file_path);
  return 1;
}

/* Keeps of /proc/self/maps the lines of files, and hashes them. */
static u64 files_only(u8 *text, u64 length, u64 *hash) {
  u64 kept = 0, sum = 14695981039346656037ul;
  for (u64 at = 0; at < length;) {
    u64 end = at;
    int is_file = 0;
    while (end < length && text[end] != '\n') is_file |= text[end++] == '/';
    for (; is_file && at < end; at++) {
      sum = (sum ^ text[at]) * 1099511628211ul;
      text[kept++] = text[at];
    }
    if (is_file) text[kept++] = '\n';
    at = end + 1;
  }
  *hash = sum;
  return kept;
}

/* Which code lies where, when that changed since it was told; with the lock held. */
static void put_maps(struct head *about) {
  if (maps_pid == about->pid && about->time - maps_looked < MAPS_EVERY_NS) return;
  maps_looked = about->time;
  long opened = raw_open("/proc/self/maps", OPEN_READ, 0);
  if (opened < 0) return;
  u8 *text = map_memory(MAPS_CAPACITY);
  u64 length = 0, hash;
  while (text && length < MAPS_CAPACITY) {
    long got = raw3(__NR_read, opened, text + length, MAPS_CAPACITY - length);
    if (got <= 0) break;
    length += (u64)got;
  }
  raw1(__NR_close, opened);
  if (!text) return;
  length = files_only(text, length, &hash);
  struct head head = {.kind = EXCEPTION_KIND_MAPS,
                      .time = about->time,
                      .pid = about->pid,
                      .stack_bytes = (u32)length};
  if ((maps_pid != about->pid || hash != maps_hash) && put_record(&head, 0, 0, (u64)text)) {
    maps_hash = hash;
    maps_pid = about->pid;
  }
  unmap_memory(text, MAPS_CAPACITY);
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

/* With the lock held. */
static void remember(u64 exception) {
  u32 bucket = bucket_of(exception);
  if (!place_of(exception))
    __atomic_store_n(&recorded[bucket][newest[bucket]++ % OPEN_WAYS], exception, __ATOMIC_RELAXED);
}

static void forget(u64 exception) {
  u64 *place = place_of(exception);
  if (place) __atomic_store_n(place, 0, __ATOMIC_RELAXED);
}

/* A flood is thinned, and what is left out costs no system call. */
static int is_wanted(void) {
  static u64 last_turn, in_turn;
  u64 turn = turns(timestamp()) >> EXCEPTION_TURN_SHIFT;
  if (__atomic_exchange_n(&last_turn, turn, __ATOMIC_RELAXED) != turn) SET_RELAXED(in_turn, 0);
  u64 number = __atomic_add_fetch(&in_turn, 1, __ATOMIC_RELAXED);
  return number <= EXCEPTION_WHOLE_PER_TURN ||
         (number % EXCEPTION_THINNING == 0 && number <= EXCEPTION_MOST_PER_TURN);
}

/* As far as it is mapped. */
static u32 stack_bytes(u32 pid, u64 from) {
  u64 end = from, most = from + EXCEPTION_STACK_BYTES;
  while (end < most) {
    u8 byte;
    struct memory_range local = {&byte, 1}, remote = {(void *)end, 1};
    if (raw6(__NR_process_vm_readv, pid, &local, 1, &remote, 1, 0) != 1) break;
    end = (end & ~(PAGE - 1)) + PAGE;
  }
  return (u32)((end < most ? end : most) - from);
}

static void count_unrecorded(void) {
  __atomic_fetch_add(header(EXCEPTION_AT_UNRECORDED), 1, __ATOMIC_RELAXED);
}

static void write_down(u32 kind, const struct saved *saved, u32 fn, struct head *head) {
  u8 type[EXCEPTION_TYPE_BYTES], message[EXCEPTION_MESSAGE_BYTES];
  struct thrown thrown = {.pid = head->pid, .type = type, .message = message};
  saved_registers(saved, engine_sites[fn].address, head->registers);
  if (kind == EXCEPTION_KIND_RAISED) thrown_read(&thrown, head->exception);
  head->kind = kind;
  head->language = thrown.language;
  head->type_bytes = thrown.type_bytes;
  head->message_bytes = thrown.message_bytes;
  head->message = thrown.message_is;
  head->stack_bytes = stack_bytes(head->pid, saved_stack(saved));
  put_maps(head);
  int is_put = put_record(head, type, message, saved_stack(saved));
  if (kind != EXCEPTION_KIND_RAISED) return;
  if (is_put) {
    remember(head->exception);
  } else {
    forget(head->exception);
    count_unrecorded();
  }
}

/* With signals blocked a handler that throws cannot meet its own thread's lock. */
static COLD void record(u32 kind, const struct saved *saved, u32 fn) {
  struct head head = {.exception = saved_first(saved)};
  u64 before;
  int has_lock = 0;
  if (!signals_block(&before)) {
    head.pid = (u32)raw0(__NR_getpid);
    head.tid = (u32)raw0(__NR_gettid);
    head.time = clock_now();
    has_lock = lock_take(head.pid);
    if (has_lock) write_down(kind, saved, fn, &head);
    if (has_lock) lock_give();
    signals_set(&before);
  }
  if (!has_lock && kind == EXCEPTION_KIND_RAISED) count_unrecorded();
}

/* From exceptionHooks.S. */
__attribute__((visibility("hidden"))) void exception_note(const struct saved *saved, u32 fn) {
  u64 exception = saved_first(saved);
  if (!is_open || !engine_flags[fn]) return;
  if (kinds[fn - FIRST_EXCEPTION_HOOK] == EXCEPTION_KIND_BEGAN) {
    thread_began();
    return;
  }
  if (kinds[fn - FIRST_EXCEPTION_HOOK] == EXCEPTION_KIND_JUMPED) {
    jumps_note(saved);
    return;
  }
  if (kinds[fn - FIRST_EXCEPTION_HOOK] == EXCEPTION_KIND_CAUGHT) {
    if (place_of(exception) && !engine_sandboxed) record(EXCEPTION_KIND_CAUGHT, saved, fn);
    return;
  }
  __atomic_fetch_add(header(EXCEPTION_AT_SEEN), 1, __ATOMIC_RELAXED);
  if (!engine_sandboxed && is_wanted()) {
    record(EXCEPTION_KIND_RAISED, saved, fn);
  } else {
    forget(exception);
    count_unrecorded();
  }
}

u64 exception_entry(u32 fn) {
  return (u64)exception_hooks + (u64)(fn - FIRST_EXCEPTION_HOOK) * EXCEPTION_HOOK_BYTES;
}

void exception_set_kind(u32 fn, u32 kind) { kinds[fn - FIRST_EXCEPTION_HOOK] = kind; }

/* Maps the session's exception file, or makes it. Returns 0 or a negative error number. */
EXPORT int engine_open_exceptions(const char *path) {
  if (is_open) return -ERR_EXIST;
  if (file_limit() < FILE_BYTES_ALL) return -ERR_TOO_BIG;
  long opened = raw_open(path, OPEN_READ_WRITE | OPEN_CREATE | OPEN_NO_LINK, 0600);
  if (opened < 0) return (int)opened;
  long failed = raw2(__NR_ftruncate, opened, FILE_BYTES_ALL);
  if (!failed) failed = raw4(__NR_fallocate, opened, 0, 0, EXCEPTION_HEADER_BYTES);
  long at = failed ? failed : map_file_at(file, FILE_BYTES_ALL, opened);
  raw1(__NR_close, opened);
  if (at < 0 && at > -4096) return (int)at;
  file = (u8 *)at;
  maps_pid = 0;
  *(u32 *)(file + EXCEPTION_AT_VERSION) = EXCEPTION_VERSION;
  put_text(file_path, 0, path);
  *(u32 *)(file + EXCEPTION_AT_WAKES) = 1;
  __atomic_store_n(header(EXCEPTION_AT_MAGIC), EXCEPTION_MAGIC, __ATOMIC_RELEASE);
  __atomic_store_n(&is_open, 1, __ATOMIC_RELEASE);
  return 0;
}

/* Threads that wait for the lock find one in private memory then, and the file's is given. */
void exceptions_close(void) {
  const u32 given = 0;
  if (!__atomic_exchange_n(&is_open, 0, __ATOMIC_ACQ_REL) || !lock_take(engine_pid)) return;
  map_file_at(file, FILE_BYTES_ALL, -1);
  long opened = raw_open(file_path, OPEN_READ_WRITE | OPEN_NO_LINK, 0);
  if (opened < 0) return;
  raw4(__NR_pwrite64, opened, &given, sizeof given, EXCEPTION_AT_LOCK);
  raw1(__NR_close, opened);
}
