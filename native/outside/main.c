/* Traces a static program from outside: `outside PID CODE RING SLOTS BYTES go GOROUTINE CREATOR
 * PANIC EXCEPTIONS`, or `… c THREAD`. CODE: what target/ was built to; GOROUTINE and CREATOR: where
 * its number and that of who made it are in runtime.g; PANIC: where in runtime._panic the address
 * of the frame that continues is; EXCEPTIONS: the exception file; THREAD: where a thread's number
 * is in its block. Each change stops all threads for a moment; in between the program runs by
 * itself. Reads a line, and behind it the bytes that it says:
 *
 *   begin                  the ring file is made
 *   steps FIRST COUNT      walkStep rows
 *   arm COUNT              armEntry rows; of Go, what goroutines wait by is hooked with them
 *   probes COUNT           probeEntry rows; those of statements come with `arm`, too
 *   watches COUNT SETS FUNCTIONS   the table of watches (watchEntry)
 *   disarm COUNT           function numbers
 *   policies COUNT         policyEntry rows
 *   recording 0|1          whether anything is recorded
 *   panics STEP            by which walk the value of a panic is copied
 *   stands | runs          another tracer holds it at its start: it is not stopped for a change
 *
 * and writes
 *
 *   ready | failed ERROR
 *   done | armed VERDICT … | failed ERROR     behind the verdicts those of what they wait by
 *   refused COUNT                             policies for which there is no room
 *   forbids CALLS NANOSECONDS                 at any time, see forbidden.h
 *   unwatched VERDICT                         a function that may set such a filter is not hooked
 *
 * Ends with its standard input: every patch is taken back before. The block stays, as threads may
 * be in it; the next one that comes takes it over. */
#define _GNU_SOURCE
#include "../stopper/memory.h"
#include "block.h"
#include "clock.h"
#include "forbidden.h"
#include "hooks.h"
#include "leftovers.h"
#include "policies.h"
#include "probes.h"
#include "process.h"
#include "sandbox.h"
#include "waits.h"
#include "watches.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define MOST_ROWS 65536

#define FIRST_CLOCK_MS 5
#define LAST_CLOCK_MS 10000

/* For threads to leave the code of a tracer that was killed. */
#define LEAVE_TRIES 100
#define LEAVE_US 1000

static struct image image;
static struct options options;
static pid_t pid;
static int stands;

static int stop_program(void) { return stands ? 0 : process_stop(pid); }

static void wake_in(u32 ms) {
  const struct itimerval timer = {.it_value = {ms / 1000, ms % 1000 * 1000}};
  setitimer(ITIMER_REAL, &timer, 0);
}

/* The longer it traces, the better known is how fast the counter counts. */
static void take_clock(int signal) {
  static u32 ms = FIRST_CLOCK_MS;
  (void)signal;
  block_clock();
  if (ms < LAST_CLOCK_MS) ms *= 2;
  wake_in(ms);
}

/* Returns `count` rows of what follows the line, with room for WAIT_COUNT more, or null. */
static u8 *read_rows(u32 count, u32 bytes) {
  if (count > RECORD_MAX_STEPS) return 0;
  u8 *rows = malloc(((size_t)count + WAIT_COUNT) * bytes);
  if (rows && fread(rows, bytes, count, stdin) == count) return rows;
  free(rows);
  return 0;
}

/* Stops it where no thread is in such code, which is no longer than a record takes. */
static int stop_for_block(void) {
  int failed = stop_program();
  for (u32 i = 0; !failed && leftovers_are_used(pid) && i < LEAVE_TRIES; i++) {
    process_go_on();
    usleep(LEAVE_US);
    failed = stop_program();
  }
  return failed;
}

static int put_block(void) {
  u64 dead[MOST_BLOCKS];
  leftovers_take_back(&image);
  return block_put(pid, &image, &options, dead, leftovers_free(dead));
}

/* Returns 0 or an error number; else all threads are stopped, and the block is there. */
static int begin_change(void) {
  if (block_is_there()) return stop_program();
  int failed = stop_for_block();
  if (failed) return failed;
  failed = sandbox_is_new() ? SANDBOX_ENTERED : put_block();
  if (!failed) hooks_watch_filters(&image);
  if (failed) process_go_on();
  else wake_in(FIRST_CLOCK_MS);
  return failed;
}

/* The same before more is recorded: not in a sandbox, which may forbid what recording asks of the
 * system. */
static int begin_more(void) {
  int failed = begin_change();
  if (failed || !sandbox_is_new()) return failed;
  process_go_on();
  return SANDBOX_ENTERED;
}

static void answer(int failed) {
  if (failed) printf("failed %d\n", failed);
  else printf("done\n");
}

/* Only while that is made the program is stopped. */
static int make_block(void) {
  if (block_is_there()) return 0;
  int failed = begin_change();
  if (!failed) process_go_on();
  return failed;
}

static void begin(void) { answer(make_block()); }

/* No walk that is in use has them yet. */
static void take_steps(u32 first, u32 count) {
  u8 *rows = read_rows(count, WALK_STEP_BYTES);
  int failed = rows ? make_block() : EINVAL;
  if (!failed) failed = block_steps(first, rows, count);
  free(rows);
  answer(failed);
}

static void arm(u32 count) {
  u8 *rows = count <= MOST_ROWS ? read_rows(count, ARM_BYTES) : 0;
  u32 *verdicts = calloc(count + WAIT_COUNT, sizeof *verdicts);
  int failed = rows && verdicts ? make_block() : EINVAL;
  if (!failed) {
    count += waits_rows(&image, rows + (size_t)count * ARM_BYTES);
    hooks_prepare(&image, rows, count, verdicts);
    failed = begin_more();
  }
  for (u32 i = 0; failed == SANDBOX_ENTERED && i < count; i++) verdicts[i] = VERDICT_SANDBOXED;
  if (!failed || failed == SANDBOX_ENTERED) {
    if (!failed) {
      hooks_arm(&image, rows, count, verdicts);
      process_go_on();
    }
    flockfile(stdout);
    printf("armed");
    for (u32 i = 0; i < count; i++) printf(" %u", verdicts[i]);
    printf("\n");
    funlockfile(stdout);
  } else answer(failed);
  free(rows);
  free(verdicts);
}

static void disarm(u32 count) {
  u8 *rows = read_rows(count, 4);
  int failed = rows ? stop_program() : EINVAL;
  if (!failed) {
    hooks_disarm(&image, (const u32 *)rows, count);
    process_go_on();
  }
  free(rows);
  answer(failed);
}

static void set_probes(u32 count) {
  u8 *rows = read_rows(count, PROBE_BYTES);
  int failed = rows ? begin_change() : EINVAL;
  if (!failed) {
    failed = probes_set(rows, count);
    process_go_on();
  }
  free(rows);
  answer(failed);
}

static void set_watches(u32 count, u32 sets, u32 functions) {
  struct watch_rows rows = {.count = count, .set_count = sets, .function_count = functions};
  rows.watches = (struct watch *)read_rows(count, WATCH_BYTES);
  rows.sets = (struct watch_set *)read_rows(sets, WATCH_SET_BYTES);
  u8 *pairs = read_rows(functions, 8);
  rows.functions = (const u32 *)pairs;
  int failed = rows.watches && rows.sets && pairs ? begin_change() : EINVAL;
  if (!failed) {
    failed = watches_set(&rows);
    process_go_on();
  }
  free(rows.watches);
  free(rows.sets);
  free(pairs);
  answer(failed);
}

static void set_policies(u32 count) {
  u32 refused = 0;
  u8 *rows = read_rows(count, POLICY_BYTES);
  if (rows) policies_measure();
  int failed = rows ? begin_change() : EINVAL;
  if (!failed) {
    failed = policies_set(rows, count, &refused);
    process_go_on();
  }
  free(rows);
  if (failed) answer(failed);
  else printf("refused %u\n", refused);
}

static void set_recording(int is_on) {
  int failed = begin_change();
  if (!failed) {
    failed = policies_record(is_on);
    process_go_on();
  }
  answer(failed);
}

static void set_panics(u32 step) {
  int failed = make_block();
  if (!failed) failed = block_panic_walk(step);
  answer(failed);
}

static void set_stands(int is) {
  stands = is;
  answer(0);
}

static void obey(const char *line) {
  u32 first = 0, count = 0, more = 0;
  if (strcmp(line, "begin\n") == 0) begin();
  else if (strcmp(line, "stands\n") == 0) set_stands(1);
  else if (strcmp(line, "runs\n") == 0) set_stands(0);
  else if (sscanf(line, "steps %u %u", &first, &count) == 2) take_steps(first, count);
  else if (sscanf(line, "arm %u", &count) == 1) arm(count);
  else if (sscanf(line, "disarm %u", &count) == 1) disarm(count);
  else if (sscanf(line, "probes %u", &count) == 1) set_probes(count);
  else if (sscanf(line, "watches %u %u %u", &first, &count, &more) == 3)
    set_watches(first, count, more);
  else if (sscanf(line, "policies %u", &count) == 1) set_policies(count);
  else if (sscanf(line, "panics %u", &first) == 1) set_panics(first);
  else if (sscanf(line, "recording %u", &count) == 1) set_recording(count != 0);
  else answer(EINVAL);
}

int main(int count, char **words) {
  char line[256];
  int is_go = count == 11 && strcmp(words[6], "go") == 0;
  if (!is_go && count != 8) return 2;
  pid = atoi(words[1]);
  options = (struct options){.code_path = words[2],
                             .ring_path = words[3],
                             .slot_count = (u32)atoi(words[4]),
                             .ring_bytes = (u32)atoi(words[5]),
                             .goroutine_number = is_go ? (u32)atoi(words[7]) : 0,
                             .creator_number = is_go ? (u32)atoi(words[8]) : 0,
                             .panic_frame = is_go ? (u32)atoi(words[9]) : 0,
                             .exceptions_path = is_go ? words[10] : 0,
                             .thread_number = is_go ? 0 : (u32)atoi(words[7])};
  signal(SIGALRM, take_clock); /* what it interrupts continues */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  clock_begin();
  sandbox_begin(pid);
  int failed = memory_open(pid);
  if (!failed) failed = image_read(pid, &image, is_go);
  if (failed) printf("failed %d\n", failed);
  else printf("ready\n");
  fflush(stdout);
  while (!failed && fgets(line, sizeof line, stdin)) {
    obey(line);
    fflush(stdout);
  }
  if (hooks_count() + probes_count() && stop_program() == 0) {
    hooks_disarm_all(&image);
    process_go_on();
  }
  forbidden_say();
  return 0;
}
