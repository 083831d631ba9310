/* Forked children. A child inherits hooks and code, the mapping of its parent's rings and the
 * pointers to them. It must not write there, and makes a ring file of its own at its first traced
 * call, inside that call: raw system calls only. A child by vfork shares our memory, and is no
 * child here.
 *
 *   engine_process  zero in a child: no thread's slot has its epoch, so the next call comes here
 *   epoch           in slot pointers and frames: what a parent began is known, and not recorded
 *   family          a file of the whole session, which stays mapped in all descendants: what they
 *                   made, took and lost is counted there */
#include "forked.h"
#include "code.h"
#include "cpu.h"
#include "crash.h"
#include "family.h"
#include "maps.h"
#include "plan.h"
#include "process.h"
#include "raw.h"
#include "ringFile.h"
#include "ringSpace.h"
#include "rings.h"
#include "tables.h"
#include "text.h"
#include "traps.h"

#define NAMES 10

static u32 epochs;                  /* that began, in this process and its ancestors */
static char first_path[PATH_BYTES]; /* of the first process's file */
static u64 loader_notice;

/* The next epoch: every plan word carries it into the frames that are made from now on. */
static void begin_epoch(void) {
  u64 epoch = epochs % LAST_SLOT_EPOCH + 1;
  u32 in_frame = (epochs++ % LAST_FRAME_EPOCH + 1) << PLAN_EPOCH_SHIFT;
  for (u32 fn = 0; fn < engine_function_count; fn++)
    engine_plan_words[fn] = (engine_plan_words[fn] & ~PLAN_EPOCH_MASK) | in_frame;
  engine_process.frame_epoch = in_frame;
  __atomic_store_n(&engine_process.epoch, epoch, __ATOMIC_SEQ_CST);
}

void forked_start(void) {
  put_text(first_path, 0, engine_file.path);
  begin_epoch();
}

void forked_leave(void) {
  family_close();
  loader_notice = 0;
  __atomic_store_n(&engine_process.epoch, 0, __ATOMIC_SEQ_CST);
}

/* The slot of the thread that forked becomes memory of our own: a call that a signal interrupted
 * while it wrote, and whose handler forked, goes on writing in the child. No other thread is there,
 * and nothing of the parent's file is kept. */
static void forget_parent(void) {
  if (engine_process.has_forgotten) return;
  u64 slot = engine_thread.slot & ~(u64)SLOT_EPOCH_MASK;
  ring_space_leave(ring_file_head_bytes(), slot ? (const u8 *)slot : engine_file.base);
  engine_process.has_forgotten = 1;
}

/* The loader's function that says by being called that a library came or went (r_brk of <link.h>),
 * and does nothing. The instrumentation listens there. */
EXPORT void engine_name_loader_notice(u64 address) { loader_notice = address; }

/* Nobody is left in a child to be told, and telling takes locks that may be held for ever. */
static void silence_loader(void) {
  u64 start = loader_notice & ~(PAGE - 1),
      bytes = ((loader_notice + JUMP_BYTES - 1) & ~(PAGE - 1)) + PAGE - start;
  if (!loader_notice || engine_sandboxed) return;
  if (raw3(__NR_mprotect, start, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  u8 code[JUMP_BYTES];
  copy_bytes(code, (const u8 *)loader_notice, JUMP_BYTES);
  code_return(code);
  code_write((u8 *)loader_notice, code);
  raw3(__NR_mprotect, start, bytes, PROT_READ | PROT_EXEC);
  loader_notice = 0;
}

/* To be called by libc's fork in the child, before anything else runs there. */
EXPORT void engine_forked_child(void) {
  if (!family_is_open() || engine_process.epoch) return;
  engine_process.pid = (u32)raw0(__NR_getpid);
  forget_parent();
  silence_loader();
}

/* As the reader sees it: in a process namespace of its own getpid says something else. */
static u32 outer_pid(void) {
  char text[16];
  u32 pid = 0;
  long length = raw_readlink("/proc/self", text, sizeof text);
  for (long i = 0; i < length; i++) pid = pid * 10 + (u32)(text[i] - '0');
  return pid ? pid : engine_pid;
}

static int make_file(u32 parent) {
  struct ring_file file = engine_file;
  u32 pid = outer_pid();
  if (file.ring_bytes > RECORD_FORKED_RING_BYTES) file.ring_bytes = RECORD_FORKED_RING_BYTES;
  if (file.most_bytes > RECORD_FORKED_MOST_BYTES) file.most_bytes = RECORD_FORKED_MOST_BYTES;
  long failed = -ERR_EXIST;
  for (u32 name = 0; name < NAMES && failed == -ERR_EXIST; name++) {
    u32 length = put_text(file.path, put_text(file.path, 0, first_path), ".");
    length = put_text(file.path, put_number(file.path, length, pid), ".");
    put_number(file.path, length, name);
    failed = ring_file_make(&file, OPEN_READ_WRITE | OPEN_CREATE | OPEN_NO_LINK | OPEN_ONLY_NEW,
                            pid, parent);
  }
  if (failed) return 0;
  forget_parent();
  engine_file = file;
  return 1;
}

int forked_begin(void) {
  /* A child by vfork is before its parent here: what it made would bear a number that is soon
   * nobody's. */
  if (engine_process.pid && engine_process.pid != (u32)raw0(__NR_getpid)) return 0;
  take_lock(&engine_process.begin_lock);
  if (!engine_process.epoch && !engine_process.has_failed && family_is_open()) {
    u32 parent = engine_pid;
    engine_pid = (u32)raw0(__NR_getpid);
    traps_forked();
    if (make_file(parent)) {
      crash_open(engine_file.path);
      begin_epoch();
      family_count_ring();
    } else {
      engine_process.has_failed = 1;
      family_count_without();
    }
  }
  give_lock(&engine_process.begin_lock);
  return engine_process.epoch != 0;
}

void forked_open_crash(void) {
  if (engine_process.epoch && !engine_file.is_forked) return;
  if (crash_is_own()) return;
  crash_forget();
  if (!engine_sandboxed && (engine_process.epoch || forked_begin()) && family_may_crash())
    crash_open(engine_file.path);
}
