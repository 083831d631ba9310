/* See exceptions.h. Runs inside the thread that throws: no libc, and no memory of the program is
 * touched but by process_vm_readv. */
#include "exceptions.h"
#include "clock.h"
#include "cpu.h"
#include "exceptionFile.h"
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

#define MAPS_CAPACITY 0x100000ul
#define MAPS_EVERY_NS 100000000ul

static u8 *file; /* mapped once and for ever, as that of tap.c */
static char file_path[PATH_BYTES];
static u32 is_open;
static u32 kinds[EXCEPTION_MAX_HOOKS];
static u64 maps_hash, maps_looked, maps_pid;

/* With the lock held. */
static int put_record(struct exception_head *head, const void *type, const void *message,
                      u64 stack) {
  const struct exception_parts parts = {type, message, stack};
  if (!exception_put(file, head->pid, head, &parts)) return 0;
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
static void put_maps(struct exception_head *about) {
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
  struct exception_head head = {.kind = EXCEPTION_KIND_MAPS,
                                .time = about->time,
                                .pid = about->pid,
                                .stack_bytes = (u32)length};
  if ((maps_pid != about->pid || hash != maps_hash) && put_record(&head, 0, 0, (u64)text)) {
    maps_hash = hash;
    maps_pid = about->pid;
  }
  unmap_memory(text, MAPS_CAPACITY);
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

static void count_unrecorded(void) { exception_count(file, EXCEPTION_AT_UNRECORDED); }

static void write_down(u32 kind, const struct saved *saved, u32 fn, struct exception_head *head) {
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
    exception_remember(head->exception);
  } else {
    exception_forget(head->exception);
    count_unrecorded();
  }
}

/* With signals blocked a handler that throws cannot meet its own thread's lock. */
static COLD void record(u32 kind, const struct saved *saved, u32 fn) {
  struct exception_head head = {.exception = saved_first(saved)};
  u64 before;
  int has_lock = 0;
  if (!signals_block(&before)) {
    head.pid = (u32)raw0(__NR_getpid);
    head.tid = (u32)raw0(__NR_gettid);
    head.time = clock_now();
    has_lock = exception_lock(file, head.pid);
    if (has_lock) write_down(kind, saved, fn, &head);
    if (has_lock) exception_unlock(file);
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
    if (exception_is_known(exception) && !engine_sandboxed)
      record(EXCEPTION_KIND_CAUGHT, saved, fn);
    return;
  }
  exception_count(file, EXCEPTION_AT_SEEN);
  if (!engine_sandboxed && exception_is_wanted()) {
    record(EXCEPTION_KIND_RAISED, saved, fn);
  } else {
    exception_forget(exception);
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
  if (file_limit() < EXCEPTION_FILE_BYTES) return -ERR_TOO_BIG;
  long opened = raw_open(path, OPEN_READ_WRITE | OPEN_CREATE | OPEN_NO_LINK, 0600);
  if (opened < 0) return (int)opened;
  long failed = raw2(__NR_ftruncate, opened, EXCEPTION_FILE_BYTES);
  if (!failed) failed = raw4(__NR_fallocate, opened, 0, 0, EXCEPTION_HEADER_BYTES);
  long at = failed ? failed : map_file_at(file, EXCEPTION_FILE_BYTES, opened);
  raw1(__NR_close, opened);
  if (at < 0 && at > -4096) return (int)at;
  file = (u8 *)at;
  maps_pid = 0;
  *(u32 *)(file + EXCEPTION_AT_VERSION) = EXCEPTION_VERSION;
  put_text(file_path, 0, path);
  *(u32 *)(file + EXCEPTION_AT_WAKES) = 1;
  __atomic_store_n(exception_header(file, EXCEPTION_AT_MAGIC), EXCEPTION_MAGIC, __ATOMIC_RELEASE);
  __atomic_store_n(&is_open, 1, __ATOMIC_RELEASE);
  return 0;
}

/* Threads that wait for the lock find one in private memory then, and the file's is given. */
void exceptions_close(void) {
  const u32 given = 0;
  if (!__atomic_exchange_n(&is_open, 0, __ATOMIC_ACQ_REL) || !exception_lock(file, engine_pid))
    return;
  map_file_at(file, EXCEPTION_FILE_BYTES, -1);
  long opened = raw_open(file_path, OPEN_READ_WRITE | OPEN_NO_LINK, 0);
  if (opened < 0) return;
  raw4(__NR_pwrite64, opened, &given, sizeof given, EXCEPTION_AT_LOCK);
  raw1(__NR_close, opened);
}
