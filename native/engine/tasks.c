/* See tasks.h. /proc is asked by the process's number: the helper that traces
 * is a process of its own. */
#include "tasks.h"
#include "cpu.h"
#include "process.h"
#include "raw.h"
#include "text.h"

static u32 put_task_folder(char *path) {
  u32 length = put_number(path, put_text(path, 0, "/proc/"), engine_pid);
  return put_text(path, length, "/task");
}

static long read_call(u32 tid, char *text, u32 room) {
  char path[64];
  u32 length = put_text(path, put_task_folder(path), "/");
  put_text(path, put_number(path, length, tid), "/syscall");
  long file = raw_open(path, OPEN_READ, 0);
  if (file < 0) return file;
  long got = raw3(__NR_read, file, text, room);
  raw1(__NR_close, file);
  return got;
}

struct place {
  int is_running, is_calling;
  u64 sp, pc; /* of one that waits; 0: not known */
};

/* "running"; "number a1 .. a6 sp pc"; or, of one that waits elsewhere (for a page, say), "-1 sp
 * pc": all but the number hexadecimal with 0x. */
static struct place place_of(u32 tid) {
  char text[256];
  struct place place = {0};
  long end = read_call(tid, text, sizeof text), words = 0;
  if (end < 8) return place;
  place.is_running = text[0] == 'r';
  place.is_calling = text[0] != '-';
  for (long at = end; !place.is_running && at > 0 && words < 2; at--) {
    if (text[at - 1] != ' ') continue;
    u64 number = 0;
    for (long digit = at + 2; digit < end && text[digit] > ' '; digit++)
      number = number << 4 | (u64)(text[digit] <= '9' ? text[digit] - '0' : text[digit] - 'a' + 10);
    if (words++) place.sp = number;
    else place.pc = number;
  }
  return place;
}

int task_must_stop(u32 tid, u64 (*move)(u64 pc)) {
  struct place place = place_of(tid);
  return place.is_running || (!place.is_calling && move(place.pc) != place.pc);
}

u64 task_waiting_at(u32 tid) { return place_of(tid).sp; }

void tasks_each_number(long directory, void (*visit)(u32, void *), void *argument) {
  u8 entries[4096] __attribute__((aligned(8)));
  for (;;) {
    long got = raw3(__NR_getdents64, directory, entries, sizeof entries);
    if (got <= 0) break;
    for (long at = 0; at < got; at += *(u16 *)(entries + at + 16)) {
      const u8 *name = entries + at + 19;
      u32 number = 0, is_number = *name >= '0' && *name <= '9';
      for (; *name >= '0' && *name <= '9'; name++) number = number * 10 + (u32)(*name - '0');
      if (is_number) visit(number, argument);
    }
  }
}

void tasks_each(void (*visit)(u32, void *), void *argument) {
  char path[64];
  put_task_folder(path);
  long directory = raw_open(path, OPEN_READ | OPEN_FOLDER, 0);
  if (directory < 0) return;
  tasks_each_number(directory, visit, argument);
  raw1(__NR_close, directory);
}
