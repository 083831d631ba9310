/* See places.h. Conditions are evaluated as in the program (../engine/condition.c): the stack words
 * of their code are the registers. */
#define _GNU_SOURCE
#include "places.h"
#include "../engine/condition.h"
#include "../engine/reads.h"
#include "memory.h"
#include "plants.h"
#include "threads.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>

#define MOST 512
#define REGISTERS 16

/* What is known of the types that are thrown at a place. */
struct kind {
  u32 number, is_wanted;
  u64 type;
};

static struct place all[MOST];
static u32 count;
static u64 added_count;
static struct kind kinds[MOST_KINDS];
static u32 kind_count;

int place_add(const struct place *place) {
  place_remove(place->number);
  if (count == MOST) return ENOSPC;
  int failed = place->touch ? data_watch(place->number, place->address, place->bytes, place->touch)
                            : plant(place->address);
  if (failed) return failed;
  struct place *added = &all[count++];
  *added = *place;
  added->since = ++added_count;
  memory_read(added->address, &added->last, added->bytes);
  return 0;
}

static void forget_kinds(u32 number) {
  u32 kept = 0;
  for (u32 i = 0; i < kind_count; i++)
    if (kinds[i].number != number) kinds[kept++] = kinds[i];
  kind_count = kept;
}

/* Where one stands again its island is another. */
static void leave_forks(const struct place *place) {
  for (struct thread *thread = thread_next(0); thread; thread = thread_next(thread))
    if (thread->fork && place->since <= thread->copied) plant_lift_in(thread->fork, place->address);
}

void place_remove(u32 number) {
  forget_kinds(number);
  for (u32 i = 0; i < count; i++) {
    if (all[i].number != number) continue;
    if (all[i].island) leave_forks(&all[i]);
    if (all[i].touch) data_leave(number);
    else unplant(all[i].address);
    all[i] = all[--count];
    return;
  }
}

/* The code's stack words, of the thread that is looked at. */
static u64 words[REGISTERS + STACK_ARGUMENTS / 8];

u64 read_quickly(void *to, u64 from, u64 length) {
  u64 start = (u64)words;
  if (from - start <= sizeof words && length <= sizeof words - (from - start)) {
    memcpy(to, (const void *)from, length);
    return length;
  }
  return memory_read(from, to, (u32)length);
}

u64 read_own(void *to, u64 from, u64 length) { return read_quickly(to, from, length); }

u32 read_text_quickly(u8 *to, u64 from, u32 most) {
  u32 got = 0;
  while (got < most) {
    u32 page = 4096 - (u32)((from + got) & 4095), wanted = most - got < page ? most - got : page;
    u32 read = memory_read(from + got, to + got, wanted);
    int is_ended = memchr(to + got, 0, read) != 0;
    got += read;
    if (is_ended || read < wanted) break;
  }
  return got;
}

static void take_words(const struct user_regs_struct *r) {
  const u64 in_order[REGISTERS] = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp,
                                   r->r8,  r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};
  memcpy((u8 *)words + STACK_ARGUMENTS, in_order, sizeof in_order);
}

enum met { NOT_MET, MET, UNDECIDED };

static enum met is_met(const struct place *place, const struct user_regs_struct *registers,
                       int tid) {
  struct registers vectors = {0};
  u64 copies[CONDITION_COPY_WORDS], number = 0, address = 0;
  if (!place->words) return MET;
  take_words(registers);
  if (place->is_vector) {
    struct user_fpregs_struct kept;
    if (ptrace(PTRACE_GETFPREGS, tid, 0, &kept) == 0)
      for (u32 i = 0; i < 8; i++) memcpy(&vectors.vector[i], &kept.xmm_space[4 * i], 8);
  }
  if (!condition_value(place->code, place->words, &vectors, (u64)words, copies, &number, &address))
    return UNDECIDED;
  return number ? MET : NOT_MET;
}

static int is_of_thread(const struct place *place, int tid) {
  char path[40], name[sizeof place->name + 1] = "";
  if (place->thread) return place->thread == (u64)tid;
  if (!place->name[0]) return 1;
  snprintf(path, sizeof path, "/proc/%d/comm", tid);
  FILE *file = fopen(path, "r");
  if (!file) return 1;
  if (fgets(name, sizeof name, file)) name[strcspn(name, "\n")] = 0;
  fclose(file);
  return strcmp(name, place->name) == 0;
}

static int is_due(struct place *place) {
  u64 met = ++place->met, every = place->every ? place->every : 1;
  if (met <= place->after) return 0;
  u64 nth = met - place->after;
  return nth % every == 0 && (!place->most || nth / every <= place->most);
}

static const struct kind *kind_of(u32 number, u64 type) {
  for (u32 i = 0; i < kind_count; i++)
    if (kinds[i].number == number && kinds[i].type == type) return &kinds[i];
  return 0;
}

u32 places_ask(u64 address, u64 type) {
  for (u32 i = 0; i < count; i++)
    if (all[i].address == address && all[i].raise == RAISE_ASKS && kind_count < MOST_KINDS &&
        !kind_of(all[i].number, type))
      return all[i].number;
  return 0;
}

void place_answer(u32 number, u64 type, int is_wanted) {
  if (kind_count < MOST_KINDS && !kind_of(number, type))
    kinds[kind_count++] = (struct kind){number, (u32)is_wanted, type};
}

struct place *place_numbered(u32 number) {
  for (u32 i = 0; i < count; i++)
    if (all[i].number == number) return &all[i];
  return 0;
}

u64 places_now(void) { return added_count; }

u64 places_island(u64 address, u64 then) {
  for (u32 i = 0; i < count; i++)
    if (all[i].address == address && all[i].island && all[i].since <= then) return all[i].island;
  return 0;
}

int places_stop(u64 address) {
  for (u32 i = 0; i < count; i++)
    if (all[i].address == address && !all[i].island) return 1;
  return 0;
}

static int is_diverted(u64 address) { return places_island(address, added_count) != 0; }

u32 places_begin_in(pid_t fork) { return plants_lift_in(fork, is_diverted); }

void places_leave_in(pid_t fork, u64 then) {
  for (u32 i = 0; i < count; i++)
    if (all[i].island && all[i].since <= then) plant_lift_in(fork, all[i].address);
}

int is_throw(u32 number) {
  const struct place *place = place_numbered(number);
  return place && place->raise != RAISE_NONE;
}

/* One of which nothing is known is wanted. */
static int is_wanted(const struct place *place, u64 type) {
  const struct kind *kind = place->raise == RAISE_ASKS ? kind_of(place->number, type) : 0;
  return !kind || kind->is_wanted;
}

/* What a touch has left. */
static void look_at(struct place *place) {
  place->before = place->last;
  memory_read(place->address, &place->last, place->bytes);
}

u32 places_met(u64 address, const struct user_regs_struct *registers, int tid,
               u32 numbers[MOST_MET]) {
  u32 found = 0;
  for (u32 i = 0; i < count; i++) {
    if (all[i].address != address || all[i].island) continue;
    all[i].hits++;
    look_at(&all[i]);
    if (!is_of_thread(&all[i], tid) || !is_wanted(&all[i], registers->rsi)) continue;
    enum met met = is_met(&all[i], registers, tid);
    if (met != NOT_MET && is_due(&all[i]) && found < MOST_MET)
      numbers[found++] = all[i].number | (met == UNDECIDED ? PLACE_UNDECIDED : 0);
  }
  return found;
}

void places_tell(void (*tell)(const struct place *)) {
  for (u32 i = 0; i < count; i++) tell(&all[i]);
}
