/* Panics of Go: written into the exception file where they begin, where they are recovered, and
 * where they end the program. Runs on the thread's area, see write.c. */
#include "../../engine/exceptionFile.c"
#include "../../engine/raw.h"
#include "../../engine/walk.h"
#include "record.h"
#include "waits.h"

#define CLOCK_MONOTONIC 1
#define AT_FDCWD -100
#define AT_SYMLINK_NOFOLLOW 0x100
/* In DWARF's order. */
#define FRAME_POINTER 6
#define STACK_POINTER 7
#define PROGRAM_COUNTER 16
#define WORD 8
/* runtime.g: where its panic is, from Go 1.14 on. */
#define GOROUTINE_PANIC 32
/* Frames between what asks for a panic and runtime.gopanic: a deferred function and its wrapper. */
#define MOST_FRAMES 16
/* "GO" as the letters of a language. */
#define LANGUAGE_GO 0x4f47ul

struct bounds {
  u64 low, high; /* of the goroutine's stack */
};

/* 0: a filter of the program forbids to ask. */
static u64 now(void) {
  u64 time[2] = {0, 0};
  raw2(__NR_clock_gettime, CLOCK_MONOTONIC, time);
  return time[0] * 1000000000 + time[1];
}

/* As wake.c, without the engine. */
static COLD void wake(u8 *file) {
  u32 *asleep = (u32 *)(file + EXCEPTION_AT_ASLEEP), *wakes = (u32 *)(file + EXCEPTION_AT_WAKES);
  if (!RELAXED(*asleep) || !__atomic_exchange_n(asleep, 0, __ATOMIC_ACQ_REL)) return;
  const char *path = outside_settings.panics.path;
  if (raw4(__NR_utimensat, AT_FDCWD, path, 0, AT_SYMLINK_NOFOLLOW) != 0)
    __atomic_store_n(wakes, 0, __ATOMIC_RELEASE);
}

/* The call of runtime.gopanic that is nearest on the stack, as record_place has its entry; 0: none
 * is. Go's frames are a list by their frame pointers. */
static u64 panic_place(const struct area *area) {
  const struct panic_settings *panics = &outside_settings.panics;
  const struct bounds *stack = (const struct bounds *)area->r14;
  u64 back = *(const u64 *)area->rsp, frame = area->rbp;
  for (u32 i = 0; i < MOST_FRAMES; i++) {
    if (frame <= area->rsp || frame % WORD || frame + 2 * WORD > stack->high) return 0;
    const u64 *words = (const u64 *)frame;
    if (back >= panics->begin && back < panics->end) return record_place_of(area, frame + WORD);
    if (words[0] <= frame) return 0;
    back = words[1];
    frame = words[0];
  }
  return 0;
}

static void put_head(const struct area *area, u64 pc, u32 kind, u64 exception,
                     struct exception_head *head) {
  const struct bounds *stack = (const struct bounds *)area->r14;
  u64 bytes = stack->high - area->rsp;
  head->kind = kind;
  head->time = now();
  head->pid = outside_settings.pid;
  head->tid = record_goroutine(area);
  head->exception = exception;
  head->language = LANGUAGE_GO;
  head->stack_bytes = bytes < EXCEPTION_STACK_BYTES ? (u32)bytes : EXCEPTION_STACK_BYTES;
  head->registers[FRAME_POINTER] = area->rbp;
  head->registers[STACK_POINTER] = area->rsp;
  head->registers[PROGRAM_COUNTER] = pc;
}

static int write_down(const struct area *area, struct exception_head *head, const u64 *message) {
  u8 *file = outside_settings.panics.file;
  const struct exception_parts parts = {.message = message, .stack = area->rsp};
  int is_put = 0;
  if (!head->time || !exception_lock(file, head->pid)) return 0;
  is_put = exception_put(file, head->pid, head, &parts);
  if (is_put && head->kind == EXCEPTION_KIND_RAISED) exception_remember(head->exception);
  exception_unlock(file);
  if (is_put) wake(file);
  return is_put;
}

/* Its value: what runtime.gopanic was passed. */
static u32 put_value(struct area *area) {
  u32 walk = outside_settings.panics.walk;
  if (!walk) return 0;
  return walk_value(area->words, 0, EXCEPTION_WALKED_BYTES / WORD, walk - 1,
                    (const u8 *)&area->integers[0], 0, 2 * WORD);
}

void outside_raised(struct area *area, const u8 *row) {
  u8 *file = outside_settings.panics.file;
  struct exception_head head = {.message = EXCEPTION_TEXT_NONE};
  outside_parked(area, row);
  /* The runtime's own stacks belong to no goroutine: there it ends the program. */
  if (!file || !record_goroutine(area)) return;
  exception_count(file, EXCEPTION_AT_SEEN);
  u64 place = record_place(area);
  int is_put = exception_is_wanted();
  if (is_put) {
    put_head(area, *(const u64 *)(row + ARM_ADDRESS), EXCEPTION_KIND_RAISED, place, &head);
    head.message_bytes = put_value(area) * WORD;
    if (head.message_bytes) head.message = EXCEPTION_TEXT_WALKED;
    is_put = write_down(area, &head, area->words);
  }
  if (is_put) return;
  exception_forget(place);
  exception_count(file, EXCEPTION_AT_UNRECORDED);
}

void outside_recovered(struct area *area, const u8 *row) {
  const struct panic_settings *panics = &outside_settings.panics;
  if (!panics->file || !record_goroutine(area)) return;
  u64 place = panic_place(area);
  struct exception_head head = {.message = EXCEPTION_TEXT_NONE};
  if (!place || !exception_is_known(place)) return;
  exception_forget(place);
  u64 panic = *(const u64 *)(area->r14 + GOROUTINE_PANIC);
  if (panic && panics->frame && !(row[ARM_FLAGS] & ARM_ENDS)) {
    area->words[0] = record_place_of(area, *(const u64 *)(panic + panics->frame));
    head.message = EXCEPTION_TEXT_FRAME;
    head.message_bytes = WORD;
  }
  put_head(area, *(const u64 *)(row + ARM_ADDRESS), EXCEPTION_KIND_CAUGHT, place, &head);
  write_down(area, &head, area->words);
}
