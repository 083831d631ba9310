/* See tap.h. Runs inside the program's own calls: no libc, no locks the program could wait for,
 * errno is not touched. */
#include "tap.h"
#include "clock.h"
#include "cpu.h"
#include "maps.h"
#include "process.h"
#include "raw.h"
#include "readSafely.h"
#include "ringFile.h"
#include "rings.h"
#include "signals.h"
#include "tables.h"
#include "text.h"
#include "wake.h"

#define LOCK_ROUNDS 2000
#define MAX_CHUNK 65536ul
#define MEMORY_STEP 65536ul
#define FILE_BYTES_ALL (OUTPUT_HEADER_BYTES + OUTPUT_BYTES)

struct span {
  u64 base, length;
};

/* What of struct msghdr is looked at. */
struct message {
  u64 name;
  u32 name_length, padding;
  u64 spans, span_count;
};

/* Mapped once and for ever: between two sessions private memory lies there, so that a thread that
 * is just leaving finds something. */
static u8 *file;
static u32 is_open;
static char output_path[PATH_BYTES];
static u32 lock;
static u32 shapes[RECORD_MAX_TAPS];
static u64 dropped; /* bytes of which no record tells yet */
static u64 taken;   /* bytes of the ring that have memory, from its beginning */

static u64 *header(u32 offset) { return (u64 *)(file + offset); }

static void put(u64 at, const void *bytes, u64 length) {
  u64 from = at & (OUTPUT_BYTES - 1);
  u64 first = OUTPUT_BYTES - from < length ? OUTPUT_BYTES - from : length;
  copy_bytes(file + OUTPUT_HEADER_BYTES + from, bytes, first);
  copy_bytes(file + OUTPUT_HEADER_BYTES, (const u8 *)bytes + first, length - first);
}

/* Copies the program's bytes, which another of its threads may have unmapped meanwhile. */
static int put_safely(u64 at, u64 from, u64 length) {
  while (length) {
    u64 offset = at & (OUTPUT_BYTES - 1);
    u64 part = OUTPUT_BYTES - offset < length ? OUTPUT_BYTES - offset : length;
    if (part > 4096) part = 4096;
    if (read_safely(file + OUTPUT_HEADER_BYTES + offset, from, part) != part) return 0;
    at += part;
    from += part;
    length -= part;
  }
  return 1;
}

/* Memory is taken before it is written to: a full file system must not be a SIGBUS. */
static long take_memory(u64 goal) {
  const int populate_for_writing = 23;
  long failed =
      raw3(__NR_madvise, file + OUTPUT_HEADER_BYTES + taken, goal - taken, populate_for_writing);
  if (!failed) taken = goal;
  return failed;
}

static int has_memory(u64 at, u64 length) {
  u64 offset = at & (OUTPUT_BYTES - 1);
  u64 end = offset + length < OUTPUT_BYTES ? offset + length : OUTPUT_BYTES;
  return end <= taken || take_memory((end + MEMORY_STEP - 1) & ~(MEMORY_STEP - 1)) == 0;
}

static void put_head(u64 at, u32 length, u32 type) {
  struct {
    u32 length, type;
    u64 time;
  } head = {length, type, clock_now()};
  put(at, &head, sizeof head);
}

static u64 padded(u64 length) { return (length + 7) & ~7ul; }

static u64 room(u64 written) {
  return OUTPUT_BYTES - (written - __atomic_load_n(header(OUTPUT_AT_READ), __ATOMIC_ACQUIRE));
}

static void drop(u64 bytes) { __atomic_fetch_add(&dropped, bytes, __ATOMIC_RELAXED); }

/* With the lock held: one record of any type, its payload safe memory of ours. */
static int put_fact(u32 type, const void *payload, u32 length) {
  u64 at = *header(OUTPUT_AT_WRITTEN), whole = LOG_HEAD_BYTES + padded(length);
  if (room(at) < whole || !has_memory(at, whole)) return 0;
  put_head(at, length, type);
  put(at + LOG_HEAD_BYTES, payload, length);
  __atomic_store_n(header(OUTPUT_AT_WRITTEN), at + whole, __ATOMIC_RELEASE);
  return 1;
}

static void tell_dropped(void) {
  u64 bytes = __atomic_exchange_n(&dropped, 0, __ATOMIC_RELAXED);
  if (bytes && !put_fact(LOG_LOST, &bytes, sizeof bytes)) drop(bytes);
  *header(OUTPUT_AT_DROPPED) = __atomic_load_n(&dropped, __ATOMIC_RELAXED);
}

static void put_bytes(u32 type, u64 from, u64 length) {
  tell_dropped();
  while (length) {
    u64 part = length < MAX_CHUNK ? length : MAX_CHUNK;
    u64 at = *header(OUTPUT_AT_WRITTEN), whole = LOG_HEAD_BYTES + padded(part);
    int fits = room(at) >= whole && has_memory(at, whole);
    if (!fits || !put_safely(at + LOG_HEAD_BYTES, from, part)) {
      drop(length);
      return;
    }
    put_head(at, (u32)part, type);
    __atomic_store_n(header(OUTPUT_AT_WRITTEN), at + whole, __ATOMIC_RELEASE);
    from += part;
    length -= part;
  }
}

static void put_spans(u32 type, u64 spans, u64 count, u64 length) {
  for (u64 i = 0; i < count && length; i++) {
    struct span span;
    if (read_safely(&span, spans + i * sizeof span, sizeof span) != sizeof span) break;
    u64 part = span.length < length ? span.length : length;
    put_bytes(type, span.base, part);
    length -= part;
  }
  if (length) drop(length);
}

static void put_written(u32 shape, u32 type, const long *arguments, u64 length) {
  struct message message;
  switch (shape) {
  case TAP_FLAT: put_bytes(type, (u64)arguments[1], length); return;
  case TAP_VECTOR: put_spans(type, (u64)arguments[1], (u64)(u32)arguments[2], length); return;
  case TAP_MESSAGE:
    if (read_safely(&message, (u64)arguments[1], sizeof message) == sizeof message)
      put_spans(type, message.spans, message.span_count, length);
    else drop(length);
    return;
  }
}

static int lock_take(void) {
  for (u32 round = 0; round < LOCK_ROUNDS; round++) {
    if (!__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) return 1;
    raw0(__NR_sched_yield);
  }
  return 0;
}

static void lock_give(void) { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }

/* With signals blocked a handler that writes cannot meet its own thread's lock, nor jump out of it.
 */
static COLD void copy(u32 fn, const long *arguments, u64 length) {
  u64 before;
  if (!is_first_process() || signals_block(&before)) return;
  if (lock_take()) {
    if (is_first_process() && is_open) {
      put_written(shapes[fn - FIRST_TAP], arguments[0] == 1 ? LOG_STDOUT : LOG_STDERR, arguments,
                  length);
      *header(OUTPUT_AT_DROPPED) = __atomic_load_n(&dropped, __ATOMIC_RELAXED);
      wake_reader((u32 *)(file + OUTPUT_AT_ASLEEP), (u32 *)(file + OUTPUT_AT_WAKES), output_path);
    }
    lock_give();
  } else {
    drop(length);
  }
  signals_set(&before);
}

typedef long tapped(long, long, long, long, long, long);

#define TAP_FUNCTION(n)                                                        \
  static long tap_##n(long a, long b, long c, long d, long e, long f) {        \
    long result = ((tapped *)engine_targets[FIRST_TAP + n])(a, b, c, d, e, f); \
    if ((a == 1 || a == 2) && result > 0 && engine_flags[FIRST_TAP + n])       \
      copy(FIRST_TAP + n, (const long[]){a, b, c}, (u64)result);               \
    return result;                                                             \
  }
#define TAP_NAME(n) tap_##n,
#define EACH_TAP(of)                                                                             \
  of(0) of(1) of(2) of(3) of(4) of(5) of(6) of(7) of(8) of(9) of(10) of(11) of(12) of(13) of(14) \
      of(15)

EACH_TAP(TAP_FUNCTION)
static tapped *const entries[] = {EACH_TAP(TAP_NAME)};
_Static_assert(sizeof entries / sizeof *entries == RECORD_MAX_TAPS, "a function for each number");

u64 tap_entry(u32 fn) { return (u64)entries[fn - FIRST_TAP]; }

void tap_set_shape(u32 fn, u32 shape) { shapes[fn - FIRST_TAP] = shape; }

static long prepare_file(long opened) {
  long failed = raw2(__NR_ftruncate, opened, FILE_BYTES_ALL);
  if (!failed) failed = raw4(__NR_fallocate, opened, 0, 0, OUTPUT_HEADER_BYTES);
  if (failed) return failed;
  long at = map_file_at(file, FILE_BYTES_ALL, opened);
  if (at < 0 && at > -4096) return at;
  file = (u8 *)at;
  taken = 0;
  if (take_memory(MEMORY_STEP) != -ERR_INVALID) return 0;
  /* Kernels before 5.14: all of it at once. */
  failed = raw4(__NR_fallocate, opened, 0, 0, FILE_BYTES_ALL);
  if (!failed) taken = OUTPUT_BYTES;
  return failed;
}

/* Creates and maps the output file; what was written before is not in it. Returns 0 or a negative
 * error number. */
EXPORT int engine_open_output(const char *path) {
  if (is_open) return -ERR_EXIST;
  if (file_limit() < FILE_BYTES_ALL) return -ERR_TOO_BIG;
  u32 length = 0;
  while (path[length]) length++;
  if (length >= PATH_BYTES) return -ERR_INVALID;
  long opened = raw_open(path, OPEN_READ_WRITE | OPEN_CREATE | OPEN_NO_LINK, 0600);
  if (opened < 0) return (int)opened;
  long failed = prepare_file(opened);
  raw1(__NR_close, opened);
  if (failed) return (int)failed;
  dropped = 0;
  put_text(output_path, 0, path);
  *(u32 *)(file + OUTPUT_AT_WAKES) = 1;
  *(u32 *)(file + OUTPUT_AT_VERSION) = OUTPUT_VERSION;
  *(u32 *)(file + OUTPUT_AT_PID) = engine_pid;
  *(u32 *)(file + OUTPUT_AT_BYTES) = OUTPUT_BYTES;
  __atomic_store_n(header(OUTPUT_AT_MAGIC), OUTPUT_MAGIC, __ATOMIC_RELEASE);
  __atomic_store_n(&is_open, 1, __ATOMIC_RELEASE);
  return 0;
}

static void give_up(void) {
  is_open = 0;
  map_file_at(file, FILE_BYTES_ALL, -1);
}

/* The cycle counter with its time, as the supervisor writes it in its log. */
static void put_clock(void) {
  tell_dropped();
  u64 now = timestamp();
  put_fact(LOG_CLOCK, &now, sizeof now);
}

/* Does the work as the one writer, while the file is open. */
static void alone(void (*work)(void)) {
  u64 before;
  if (signals_block(&before)) return;
  if (lock_take()) {
    if (is_open) work();
    lock_give();
  }
  signals_set(&before);
}

EXPORT void engine_clock(void) { alone(put_clock); }

void tap_close(void) { alone(give_up); }

/* What of Gum's invocation context the probe reads: https://frida.re/docs/javascript-api/#cmodule
 */
struct invocation {
  u64 function;
  const u64 *registers;
};

/* A probe at _exit: what the program is about to end with. A child that shares our memory is not
 * meant. */
EXPORT void engine_note_exit(const struct invocation *context) {
  if (!is_open || !is_first_process() || (u32)raw0(__NR_getpid) != engine_pid) return;
  __atomic_store_n((u32 *)(file + OUTPUT_AT_EXIT),
                   OUTPUT_EXIT_KNOWN | (context->registers[GUM_FIRST_ARGUMENT] & 0xff),
                   __ATOMIC_RELEASE);
}
