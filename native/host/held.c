/* See held.h. */
#define _GNU_SOURCE
#include "held.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct held *all;
static unsigned next;

bool held_prepare(void) {
  void *memory =
      mmap(NULL, MAX_HELD * sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  all = memory == MAP_FAILED ? NULL : memory;
  return all != NULL;
}

struct held *held_find(pid_t tid) {
  struct held *found = NULL;
  for (int i = 0; all && !found && i < MAX_HELD; i++)
    if (all[i].tid == tid) found = &all[i];
  return found;
}

struct held *held_begin(pid_t tid) {
  pthread_mutex_lock(&lock);
  struct held *held = held_find(tid);
  if (!held) held = held_find(0);
  /* Full of threads that ended while they were held. */
  if (!held && all) held = &all[next++ % MAX_HELD];
  if (held) {
    memset(held, 0, offsetof(struct held, words));
    held->tid = tid;
  }
  pthread_mutex_unlock(&lock);
  return held;
}

void held_end(pid_t tid) {
  pthread_mutex_lock(&lock);
  struct held *held = held_find(tid);
  if (held) held->tid = 0;
  pthread_mutex_unlock(&lock);
}

void held_each(void (*each)(struct held *)) {
  for (int i = 0; all && i < MAX_HELD; i++)
    if (all[i].tid) each(&all[i]);
}

static struct word *find_word(const struct held *held, uint64_t at) {
  for (uint32_t i = 0; i < held->word_count; i++)
    if (held->words[i].at == at) return (struct word *)&held->words[i];
  return NULL;
}

void held_note(struct held *held, uint64_t at, uint64_t current) {
  if (find_word(held, at) || held->word_count == MAX_WORDS) return;
  held->words[held->word_count] = (struct word){at, current};
  held->word_count++;
}

void held_forget(struct held *held, uint64_t at) {
  struct word *word = find_word(held, at);
  if (word) *word = held->words[--held->word_count];
}

bool held_before(const struct held *held, uint64_t at, uint64_t *before) {
  const struct word *word = find_word(held, at);
  if (word) *before = word->before;
  return word != NULL;
}
