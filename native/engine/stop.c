/* Which threads run, see stop.h. /proc is asked by the process's number: the helper that traces
 * is a process of its own. */
#include "stop.h"
#include "text.h"

#define OPEN_CLOSE_ON_EXEC 02000000
#define OPEN_DIRECTORY 0200000

u64 stop_now(void) {
  struct {
    u64 seconds, nanoseconds;
  } time = {0, 0};
  raw2(__NR_clock_gettime, 1, &time);
  return time.seconds * 1000000000ul + time.nanoseconds;
}

static u32 put_task_folder(char *path) {
  u32 length = put_number(path, put_text(path, 0, "/proc/"), engine_pid);
  return put_text(path, length, "/task");
}

static long read_call(u32 tid, char *text, u32 room) {
  char path[64];
  u32 length = put_text(path, put_task_folder(path), "/");
  put_text(path, put_number(path, length, tid), "/syscall");
  long file = raw3(__NR_open, path, OPEN_CLOSE_ON_EXEC, 0);
  if (file < 0) return file;
  long got = raw3(__NR_read, file, text, room);
  raw1(__NR_close, file);
  return got;
}

/* /proc says "running" where it would show a system call's number. */
int stop_is_running(u32 tid) {
  char word[8];
  return read_call(tid, word, sizeof word) >= 7 && word[0] == 'r' && word[1] == 'u' && word[2] == 'n';
}

/* "number a1 .. a6 sp pc", all but the number hexadecimal with 0x. */
u64 stop_waiting_at(u32 tid) {
  char text[256];
  long end = read_call(tid, text, sizeof text), words = 0;
  if (end < 8 || text[0] == 'r') return 0;
  while (end > 0 && words < 2) words += text[--end] == ' ';
  u64 sp = 0;
  for (long at = end + 3; words == 2 && text[at] > ' '; at++)
    sp = sp << 4 | (u64)(text[at] <= '9' ? text[at] - '0' : text[at] - 'a' + 10);
  return sp;
}

/* The kernel's frame: the address of the code that returns, then ucontext_t. */
#define FRAME_TO_PC (8 + 40 + 16 * 8)
#define SCAN_BYTES 0x40000ul

static int returns_from_handler(u64 address) {
  static const u8 codes[2][9] = {{0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05}, {0xb8, 15, 0, 0, 0, 0x0f, 0x05}};
  u8 code[9];
  if (read_safely(code, address, sizeof code) != sizeof code) return 0;
  for (u32 kind = 0; kind < 2; kind++) {
    u32 same = 0, length = kind == 0 ? 9 : 7;
    while (same < length && code[same] == codes[kind][same]) same++;
    if (same == length) return 1;
  }
  return 0;
}

void stop_move_handlers(u64 sp, u64 (*move)(u64 pc)) {
  u64 words[512];
  sp &= ~7ul;
  for (u64 at = sp; at < sp + SCAN_BYTES; at += sizeof words) {
    u64 got = read_safely(words, at, sizeof words);
    for (u64 i = 0; i < got / 8; i++) {
      u64 moved = move(words[i]), place = at + i * 8, restorer = 0;
      if (moved == words[i] || place - FRAME_TO_PC < sp) continue;
      if (read_safely(&restorer, place - FRAME_TO_PC, 8) != 8 || !returns_from_handler(restorer)) continue;
      struct memory_range from = {&moved, 8}, to = {(const void *)place, 8};
      raw6(__NR_process_vm_writev, engine_pid, &from, 1, &to, 1, 0);
    }
    if (got < sizeof words) break;
  }
}

void stop_each_thread(void (*visit)(u32, void *), void *argument) {
  u8 entries[4096] __attribute__((aligned(8)));
  char path[64];
  put_task_folder(path);
  long directory = raw3(__NR_open, path, OPEN_CLOSE_ON_EXEC | OPEN_DIRECTORY, 0);
  if (directory < 0) return;
  for (;;) {
    long got = raw3(__NR_getdents64, directory, entries, sizeof entries);
    if (got <= 0) break;
    for (long at = 0; at < got; at += *(u16 *)(entries + at + 16)) {
      const u8 *name = entries + at + 19;
      u32 tid = 0;
      for (; *name >= '0' && *name <= '9'; name++) tid = tid * 10 + (u32)(*name - '0');
      if (tid) visit(tid, argument);
    }
  }
  raw1(__NR_close, directory);
}

u32 stop_threads(const struct stop_work *work) {
  int stopped = stop_by_trace(work);
  return stopped >= 0 ? (u32)stopped : stop_by_signal(work);
}
