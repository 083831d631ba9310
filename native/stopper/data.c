/* See data.h. */
#define _GNU_SOURCE
#include "data.h"
#include "../engine/traps.h"
#include "threads.h"
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST 16384
#define MOST_WATCHED 4
/* In a siginfo: the data of the event, behind the address. */
#define DATA_OFFSET 24

struct event {
  u32 number;
  pid_t tid;
  int file;
};

struct watched {
  u32 number, bytes;
  enum touch touch;
  u64 address;
};

static struct event all[MOST];
static u32 count;
static struct watched watched[MOST_WATCHED];
static u32 watched_count;

static int open_in(const struct watched *place, pid_t tid) {
  struct perf_event_attr wanted;
  memset(&wanted, 0, sizeof wanted);
  wanted.size = sizeof wanted;
  wanted.type = PERF_TYPE_BREAKPOINT;
  wanted.bp_type = place->touch == TOUCH_WRITTEN ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW;
  wanted.bp_addr = place->address;
  wanted.bp_len = place->bytes;
  wanted.sample_period = 1;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.sigtrap = 1;
  wanted.sig_data = TRAP_DATA_MARK << 32 | place->number;
  wanted.remove_on_exec = 1;
  if (count == MOST) return ENOSPC;
  int file = (int)syscall(SYS_perf_event_open, &wanted, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
  /* It has ended. */
  if (file < 0) return errno == ESRCH ? 0 : errno;
  all[count++] = (struct event){place->number, tid, file};
  return 0;
}

static void close_where(u32 number, pid_t tid) {
  u32 kept = 0;
  for (u32 i = 0; i < count; i++) {
    if (all[i].number == number || all[i].tid == tid) close(all[i].file);
    else all[kept++] = all[i];
  }
  count = kept;
}

int data_watch(u32 number, u64 address, u32 bytes, enum touch touch) {
  const struct watched place = {number, bytes, touch, address};
  int failed = watched_count == MOST_WATCHED ? ENOSPC : 0;
  for (struct thread *one = thread_next(0); one && !failed; one = thread_next(one))
    if (!one->is_child) failed = open_in(&place, one->tid);
  if (failed) close_where(number, 0);
  else watched[watched_count++] = place;
  return failed;
}

void data_leave(u32 number) {
  close_where(number, 0);
  for (u32 i = 0; i < watched_count; i++)
    if (watched[i].number == number) watched[i] = watched[--watched_count];
}

void data_begin(pid_t tid) {
  for (u32 i = 0; i < watched_count; i++) open_in(&watched[i], tid);
}

void data_end(pid_t tid) { close_where(0, tid); }

void data_leave_all(void) {
  while (count) close(all[--count].file);
}

u32 data_told(const siginfo_t *why) {
  u64 data;
  memcpy(&data, (const u8 *)why + DATA_OFFSET, sizeof data);
  int is_ours = why->si_code == TRAP_OF_DATA && data >> 32 == TRAP_DATA_MARK;
  return why->si_signo == SIGTRAP && is_ours ? (u32)data : 0;
}
