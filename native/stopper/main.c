/* Stops threads of another process: `stopper PID ENGINE LOG [early]`: the file of the engine; that
 * of the output (../supervisor/handover.h); `early`: a process that another holds at its start,
 * with its threads seized by the line `seize`. No thread is stopped by our coming; each stops
 * alone, the others run on. Reads lines, numbers in hexadecimal but for TID, N and counts:
 *
 *   plant N ADDRESS AFTER EVERY MOST VECTORS RAISE THREAD NAME WORD…
 *                                           a breakpoint, see ../../src/protocol/statementProbe.ts;
 *                                           RAISE, THREAD, NAME (of a thread, in hexadecimal, or
 * -): see places.h touch N ADDRESS BYTES HOW AFTER …   the same of data: HOW: see places.h; the
 * rest as of plant from AFTER on lift N answer N TYPE WANTED                    what `asks` asked
 *   divert N ADDRESS ISLAND                 a thread that comes there runs an island of the engine
 *   halt TID                                stops a thread where it is
 *   go TID                                  lets it run on
 *   one TID                                 one instruction
 *   step TID START END…                     while it is within these ranges, over calls
 *   into TID START END…                     the same up to a call
 *   run TID LEAST ADDRESS…                  to one of these with at least this stack pointer
 *   set TID REGISTER VALUE                  of one that is held; REGISTER: by DWARF, in decimal
 *   counts                                  tells hits of all breakpoints
 *   sync N
 *   seize
 *
 * and writes
 *
 *   ready THREADS SAFE | failed ERROR      SAFE: 1: the program survives our being killed
 *   planted N ERROR                         0: it stands
 *   asks TID N TYPE                         it stands where an object of a type is thrown: is that
 *                                           type wanted? (address of its type_info)
 *   thrown TID TYPE HOW MESSAGE             before the stop of one that throws, in hexadecimal
 *   touched TID N OLD NEW                   the same of one that wrote or read data
 *   stopped TID WHY NUMBERS R0 … R16 FLAGS FS VECTORS
 *                                           WHY: break, step, called, paused; registers in the
 *                                           order of DWARF, vectors of 16 bytes each
 *   held TID | running TID | unknown TID    what a line asked for cannot be: it stands or runs
 *                                           already
 *   hits N HITS MET
 *   gone TID
 *   executed                                another program runs: nothing of ours is in it
 *   synced N
 *
 * Ends when its standard input does: all is as if it had never been there. */
#define _GNU_SOURCE
#include "../supervisor/handover.h"
#include "caves.h"
#include "memory.h"
#include "places.h"
#include "steps.h"
#include "stops.h"
#include "table.h"
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define LINE_BYTES 8192
/* A process that is held at its start is let go within this time. */
#define EXPECTED_NS 20000000000ull

static u64 number(char **rest, int base) { return strtoull(*rest, rest, base); }

static int is_more(const char *rest) {
  while (*rest == ' ') rest++;
  return *rest != 0;
}

/* Two hexadecimal digits a byte; `-`: none. */
static void read_name(char *name, char **rest, u32 most) {
  char digits[3] = "";
  while (**rest == ' ') ++*rest;
  if (**rest == '-') ++*rest;
  for (u32 i = 0; i + 1 < most && (*rest)[0] > ' ' && (*rest)[1] > ' '; i++, *rest += 2) {
    memcpy(digits, *rest, 2);
    name[i] = (char)strtoul(digits, 0, 16);
  }
}

static void plant_place(char *rest, int is_data) {
  struct place place = {0};
  place.number = (u32)number(&rest, 10);
  place.address = number(&rest, 16);
  if (is_data) place.bytes = (u32)number(&rest, 10);
  if (is_data) place.touch = (enum touch)number(&rest, 10);
  place.after = number(&rest, 10);
  place.every = number(&rest, 10);
  place.most = number(&rest, 10);
  place.is_vector = (u32)number(&rest, 10);
  place.raise = (enum raise)number(&rest, 10);
  place.thread = number(&rest, 10);
  read_name(place.name, &rest, sizeof place.name);
  while (is_more(rest) && place.words < POLICY_MAX_WORDS)
    place.code[place.words++] = number(&rest, 16);
  printf("planted %u %d\n", place.number, is_more(rest) ? E2BIG : place_add(&place));
}

static void divert(char *rest) {
  struct place place = {0};
  place.number = (u32)number(&rest, 10);
  place.address = number(&rest, 16);
  place.island = number(&rest, 16);
  printf("planted %u %d\n", place.number, place_add(&place));
}

static void tell_hits(const struct place *place) {
  printf("hits %u %llu %llu\n", place->number, (unsigned long long)place->hits,
         (unsigned long long)place->met);
}

/* Returns whether all of the goal could be taken. */
static int take_goal(struct thread *thread, const char *word, char *rest) {
  if (strcmp(word, "go") == 0) goal_begin(thread, GOAL_NONE);
  else if (strcmp(word, "one") == 0) goal_begin(thread, GOAL_ONE);
  else if (strcmp(word, "run") == 0) {
    goal_begin(thread, GOAL_RUN);
    thread->until_sp = number(&rest, 16);
    while (is_more(rest))
      if (!goal_until(thread, number(&rest, 16))) return 0;
  } else {
    goal_begin(thread, strcmp(word, "into") == 0 ? GOAL_INTO : GOAL_STEP);
    while (is_more(rest) && thread->range_count < MOST_RANGES) {
      struct range *range = &thread->ranges[thread->range_count++];
      range->start = number(&rest, 16);
      range->end = number(&rest, 16);
    }
  }
  return 1;
}

static void move_thread(const char *word, char *rest) {
  pid_t tid = (pid_t)number(&rest, 10);
  struct thread *thread = thread_find(tid);
  if (!thread || thread->is_child) printf("unknown %d\n", tid);
  else if (strcmp(word, "halt") == 0) {
    if (thread->state == THREAD_HELD) printf("held %d\n", tid);
    else stops_interrupt(thread);
  } else if (thread->state != THREAD_HELD) printf("running %d\n", tid);
  else if (strcmp(word, "set") == 0) {
    u32 which = (u32)number(&rest, 10);
    register_set(thread, which, number(&rest, 16));
  } else if (take_goal(thread, word, rest)) stops_resume(thread);
  else {
    goal_end(thread);
    printf("held %d\n", tid);
  }
}

static void seize(void) {
  int threads = stops_seize();
  table_expect(0);
  if (threads < 0) printf("failed %d\n", -threads);
  else printf("ready %d 1\n", threads);
}

static void take_answer(char *rest) {
  u32 place = (u32)number(&rest, 10);
  u64 type = number(&rest, 16);
  stops_answer(place, type, number(&rest, 10) != 0);
}

static void obey(char *line) {
  char *rest = line + strcspn(line, " ");
  if (*rest) *rest++ = 0;
  if (strcmp(line, "plant") == 0) plant_place(rest, 0);
  else if (strcmp(line, "touch") == 0) plant_place(rest, 1);
  else if (strcmp(line, "divert") == 0) divert(rest);
  else if (strcmp(line, "lift") == 0) place_remove((u32)number(&rest, 10));
  else if (strcmp(line, "answer") == 0) take_answer(rest);
  else if (strcmp(line, "counts") == 0) places_tell(tell_hits);
  else if (strcmp(line, "sync") == 0) printf("synced %s\n", rest);
  else if (strcmp(line, "seize") == 0) seize();
  else move_thread(line, rest);
}

/* Returns whether there is more to come. */
static int read_lines(void) {
  static char text[LINE_BYTES];
  static size_t used;
  ssize_t got = read(STDIN_FILENO, text + used, sizeof text - used);
  if (got <= 0) return got < 0 && errno == EINTR;
  used += (size_t)got;
  char *line = text, *end;
  while ((end = memchr(line, '\n', used - (size_t)(line - text)))) {
    *end = 0;
    obey(line);
    line = end + 1;
  }
  used -= (size_t)(line - text);
  memmove(text, line, used);
  return used < sizeof text;
}

/* A debug register of a thread is an open file. */
static void allow_files(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit)) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

static int child_signals(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigprocmask(SIG_BLOCK, &signals, 0);
  return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

int main(int count, char **words) {
  pid_t pid = count > 1 ? atoi(words[1]) : 0;
  struct pollfd files[] = {{STDIN_FILENO, POLLIN, 0}, {child_signals(), POLLIN, 0}};
  struct signalfd_siginfo told;
  int is_open = 1, is_early = count > 4;
  /* Whoever reads may be gone; its end is told by our input. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  allow_files();
  int failed = memory_open(pid), threads = failed || is_early ? 0 : threads_seize(pid);
  stops_begin(pid, is_early);
  int is_safe = !failed && count > 2 && table_open(pid, words[2]);
  if (count > 3) handover_open(words[3]);
  caves_begin(pid);
  if (is_early) table_expect(EXPECTED_NS);
  if (is_early && !is_safe && !failed) failed = ENOENT;
  if (failed || threads < 0) printf("failed %d\n", failed ? failed : -threads);
  else printf("ready %d %d\n", threads, is_safe);
  fflush(stdout);
  while (is_open && !failed && (threads > 0 || is_early)) {
    if (poll(files, 2, stops_come_soon() ? 0 : -1) == 0) sched_yield();
    if (read(files[1].fd, &told, sizeof told) < 0 && errno != EAGAIN) break;
    is_open = stops_take();
    if (is_open && files[0].revents) is_open = read_lines();
    fflush(stdout);
  }
  stops_leave();
  if (is_early) table_expect(0);
  fflush(stdout);
  return 0;
}
