/*
 * Keeps what a program does to itself from reaching the instrumentation inside it, whose threads
 * and descriptors the program does not know of. These functions replace those of libc by name:
 *
 *   close, close_range, closefrom   descriptors of ours are skipped, as if they were not open
 *   prctl, syscall                  a sandbox is announced before it is entered: the cycle counter
 *                                   faults in strict mode, and a filter for all threads would end
 *                                   ours
 *   setrlimit, getrlimit, prlimit   the address space that is ours is not counted
 *                                   nor the room that is made for us on the main thread's stack
 *   mlockall                        our memory is not locked
 *   syscall                         also, that the program will fill in pages by itself is noted
 *   unshare, setns                  what only a process with one thread may is announced, and done
 *                                   once ours are gone
 *   stat, fstatat                   the links of /proc/self/task, by which a process counts its
 *                                   threads, are its own
 *
 * A forked child has none of our threads: there nothing is kept from it, but a sandbox is noted.
 * What a program does with system calls of its own making is not seen. Those of libc that are no
 * more than a system call are too short to keep a way into them, and are done through its
 * `syscall`.
 */
#include "guard.h"
#include "lockAll.h"
#include "oneThread.h"
#include "ownFiles.h"
#include "ownThreadsHidden.h"
#include "process.h"
#include "raw.h"
#include "reads.h"
#include "rings.h"
#include "stackRoom.h"

#define SECCOMP_OPTION 22 /* PR_SET_SECCOMP */
#define SET_STRICT 0
#define SET_FILTER 1
#define ALL_THREADS 1   /* SECCOMP_FILTER_FLAG_TSYNC */
#define ADDRESS_SPACE 9 /* RLIMIT_AS */
#define NO_LIMIT (~0ul)

static u64 own_bytes;
static u32 is_widened;
/* What the program did that concerns the tracing: a filter for all threads became one for the
 * caller's, it enters a mode without system calls (PR_SET_SECCOMP's number), what it will map is
 * not locked, and it needs to have one thread alone: the answer says whether ours leave. */
enum { FILTER, STRICT, LOCKED, ONE_THREAD };
static u32 (*tell)(u32);
/* libc's place of errno. */
static int *(*errno_place)(void);

static struct {
  int (*close)(int);
  long (*prctl)(int, long, long, long, long);
  long (*syscall)(long, long, long, long, long, long, long);
  int (*setrlimit)(int, const struct limits *);
  int (*getrlimit)(int, struct limits *);
} original;

static int is_guarded(int file) { return is_first_process() && own_files_hold((u32)file); }

/* -1 is closed by nobody: the answer is the one for a descriptor that is not open. */
EXPORT int guard_close(int file) { return original.close(is_guarded(file) ? -1 : file); }

static long close_raw(u32 first, u32 last, int flags) {
  return raw3(__NR_close_range, first, last, flags);
}

/* Calls `part` for what lies between the guarded ones; the first failure, or 0. */
static long around(u32 first, u32 last, int flags, long (*part)(u32, u32, int)) {
  u32 from = first;
  for (u32 i = 0; is_first_process() && i < own_file_count; i++) {
    u32 file = (u32)own_files[i];
    if (file < from || file > last) continue;
    if (file > from) {
      long failed = part(from, file - 1, flags);
      if (failed) return failed;
    }
    from = file + 1;
  }
  return from <= last ? part(from, last, flags) : 0;
}

static long close_by_libc(u32 first, u32 last, int flags) {
  return original.syscall(__NR_close_range, first, last, flags, 0, 0, 0);
}

EXPORT int guard_close_range(u32 first, u32 last, int flags) {
  if (first > last) return (int)close_by_libc(first, last, flags);
  return (int)around(first, last, flags, close_by_libc);
}

/* Kernels before 5.9 lack the call. */
static long close_each(u32 first, u32 last, int flags) {
  (void)flags;
  for (u32 file = first; file <= last && file < 65536; file++) raw1(__NR_close, file);
  return 0;
}

EXPORT void guard_closefrom(int low) {
  u32 first = low < 0 ? 0 : (u32)low;
  if (around(first, ~0u, 0, close_raw) < 0) around(first, ~0u, 0, close_each);
}

static void enter_sandbox(u32 strict_or_filter) {
  engine_sandboxed = 1;
  if (tell) tell(strict_or_filter);
}

/* A process whose execs are followed has a filter, and no strict mode beside it: the same as a
 * filter. */
static long strict_filter(void) {
  enum { LOAD = 0x20, EQUAL = 0x15, ANSWER = 0x06, AS_FILTER = 2, ALLOW = 0x7fff0000, KILL = 0 };
  static const struct {
    u16 code;
    u8 yes, no;
    u32 value;
  } code[] = {
      {LOAD, 0, 0, 0},          {EQUAL, 3, 0, __NR_read},         {EQUAL, 2, 0, __NR_write},
      {EQUAL, 1, 0, __NR_exit}, {EQUAL, 0, 1, __NR_rt_sigreturn}, {ANSWER, 0, 0, ALLOW},
      {ANSWER, 0, 0, KILL},
  };
  const struct {
    u16 count;
    const void *code;
  } program = {sizeof code / sizeof *code, code};
  return original.prctl(SECCOMP_OPTION, AS_FILTER, (long)&program, 0, 0);
}

static long enter_strict(void) {
  enter_sandbox(STRICT);
  long failed = original.prctl(SECCOMP_OPTION, STRICT, 0, 0, 0);
  return failed ? strict_filter() : 0;
}

/* In place of an original that has no room for a way into it, or whose way is gone. */
static long plain(long answer) {
  enum { MOST_ERRORS = 4095 };
  if (answer >= 0 || answer < -MOST_ERRORS) return answer;
  *errno_place() = (int)-answer;
  return -1;
}

EXPORT long guard_plain_prctl(int option, long a, long b, long c, long d) {
  return plain(raw6(__NR_prctl, option, a, b, c, d, 0));
}

static int plain_close(int file) { return (int)plain(raw1(__NR_close, file)); }

static long plain_syscall(long number, long a, long b, long c, long d, long e, long f) {
  return plain(raw6(number, a, b, c, d, e, f));
}

static int plain_setrlimit(int resource, const struct limits *wanted) {
  return (int)plain(raw4(__NR_prlimit64, 0, resource, wanted, 0));
}

static int plain_getrlimit(int resource, struct limits *read) {
  return (int)plain(raw4(__NR_prlimit64, 0, resource, 0, read));
}

EXPORT long guard_prctl(int option, long a, long b, long c, long d) {
  if (option == SECCOMP_OPTION) {
    if (a == STRICT && is_first_process()) return enter_strict();
    engine_sandboxed = 1;
    if (a == STRICT) process_give_up();
  }
  return original.prctl(option, a, b, c, d);
}

EXPORT int guard_mlockall(int flags) {
  int is_partly = 0;
  long failed = lock_all(flags, original.syscall, &is_partly);
  if (is_partly && tell) tell(LOCKED);
  return (int)failed;
}

static u32 leave_alone(void) { return is_first_process() && tell && tell(ONE_THREAD); }

static long as_only_thread(long number, long a, long b) {
  return one_thread_call(number, a, b, leave_alone, errno_place());
}

EXPORT int guard_unshare(int flags) { return (int)as_only_thread(__NR_unshare, flags, 0); }

EXPORT int guard_setns(int file, int kind) { return (int)as_only_thread(__NR_setns, file, kind); }

EXPORT int guard_fstatat(int folder, const char *path, struct file_status *status, int flags) {
  if (plain(raw4(__NR_newfstatat, folder, path, status, flags)) < 0) return -1;
  if (is_first_process()) own_threads_hide(status);
  return 0;
}

EXPORT int guard_stat(const char *path, struct file_status *status) {
  return guard_fstatat(CURRENT_FOLDER, path, status, 0);
}

EXPORT long guard_syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (number == __NR_seccomp && (a == SET_STRICT || a == SET_FILTER)) engine_sandboxed = 1;
  if (number == __NR_mlockall) return guard_mlockall((int)a);
  if (number == __NR_userfaultfd) reads_may_wait();
  if (!is_first_process() && number == __NR_prctl) return guard_prctl((int)a, b, c, d, e);
  if (!is_first_process() && number == __NR_seccomp && a == SET_STRICT) process_give_up();
  if (!is_first_process()) return original.syscall(number, a, b, c, d, e, f);
  if (number == __NR_close && is_guarded((int)a)) a = -1;
  else if (number == __NR_close_range && (u32)a <= (u32)b && own_file_count > 0)
    return around((u32)a, (u32)b, (int)c, close_by_libc);
  else if (number == __NR_prctl) return guard_prctl((int)a, b, c, d, e);
  else if (one_thread_needed(number, a)) return as_only_thread(number, a, b);
  else if (number == __NR_seccomp && (a == SET_STRICT || a == SET_FILTER)) {
    if (a == SET_STRICT) return enter_strict();
    if (b & ALL_THREADS) {
      b &= ~(long)ALL_THREADS;
      enter_sandbox(FILTER);
    }
  }
  return original.syscall(number, a, b, c, d, e, f);
}

/* What the program asked for, and room for us beside it, as far as the hard limit allows. */
static struct limits widened(const struct limits *wanted) {
  struct limits now = {NO_LIMIT, NO_LIMIT}, wide = *wanted;
  raw4(__NR_prlimit64, 0, ADDRESS_SPACE, 0, &now);
  if (wide.hard < NO_LIMIT - own_bytes) wide.hard += own_bytes;
  if (wide.soft < NO_LIMIT - own_bytes) wide.soft += own_bytes;
  if (wide.hard > now.hard && wanted->hard <= now.hard) wide.hard = now.hard;
  if (wide.soft > wide.hard && wanted->soft <= wanted->hard) wide.soft = wide.hard;
  is_widened = 1;
  return wide;
}

static void narrow(struct limits *read) {
  if (read->soft != NO_LIMIT && read->soft > own_bytes) read->soft -= own_bytes;
  if (read->hard != NO_LIMIT && read->hard > own_bytes) read->hard -= own_bytes;
}

static int counts_us(int resource) {
  return resource == ADDRESS_SPACE && is_first_process() && own_bytes > 0;
}

EXPORT int guard_setrlimit(int resource, const struct limits *wanted) {
  struct limits wide;
  if (wanted && resource == STACK_LIMIT) wide = stack_room_added(wanted);
  else if (wanted && counts_us(resource)) wide = widened(wanted);
  else return original.setrlimit(resource, wanted);
  return original.setrlimit(resource, &wide);
}

EXPORT int guard_getrlimit(int resource, struct limits *read) {
  int failed = original.getrlimit(resource, read);
  if (!failed && is_widened && counts_us(resource)) narrow(read);
  if (!failed && resource == STACK_LIMIT) stack_room_hide(read);
  return failed;
}

EXPORT int guard_prlimit(int pid, int resource, const struct limits *wanted, struct limits *read) {
  struct limits wide;
  u32 was_widened = is_widened;
  int concerns_us = counts_us(resource) && (pid == 0 || pid == (int)engine_pid);
  if (concerns_us && wanted) {
    wide = widened(wanted);
    wanted = &wide;
  } else if (wanted && resource == STACK_LIMIT && (pid == 0 || pid == (int)raw0(__NR_getpid))) {
    wide = stack_room_added(wanted);
    wanted = &wide;
  }
  int failed = (int)original.syscall(__NR_prlimit64, pid, resource, (long)wanted, (long)read, 0, 0);
  if (!failed && concerns_us && read && was_widened) narrow(read);
  if (!failed && resource == STACK_LIMIT && read) stack_room_hide(read);
  return failed;
}

/* `files` ascending; `bytes`: address space that is ours. */
EXPORT void engine_guard(const int *files, u32 count, u64 bytes, u32 (*teller)(u32),
                         int *(*place)(void)) {
  own_bytes = bytes;
  tell = teller;
  errno_place = place;
  own_files_set(files, count);
}

/* The ways into the originals and whom we tell go with the agent. Functions whose first bytes had
 * to be a plain jump keep that: a thread may be about to run it. */
void guard_end(void) {
  own_files_set(0, 0);
  own_bytes = 0;
  tell = 0;
  original.close = plain_close;
  original.prctl = guard_plain_prctl;
  original.syscall = plain_syscall;
  original.setrlimit = plain_setrlimit;
  original.getrlimit = plain_getrlimit;
}

/* Where the way into each original goes, in the order of `original`; set before they are replaced.
 */
EXPORT void *engine_guard_originals(void) { return &original; }

/* Whether the program was seen to forbid itself system calls. */
EXPORT u32 engine_is_sandboxed(void) { return engine_sandboxed; }

/* One that only kept its number taken. */
