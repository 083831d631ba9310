#include "process.h"
#include "../engine/unseenCalls.h"
#include "notes.h"

#include "live.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

struct entered entered;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct flags *all;
/* What is wanted: a file of the daemon, which stays as it is. Null: nothing is. */
static const char *table;
static size_t table_bytes;
static u32 generation;

struct flags *flags_add(u32 count) {
  struct flags *flags = calloc(1, sizeof *flags + count);
  if (!flags) return 0;
  flags->count = count;
  pthread_mutex_lock(&lock);
  flags->next = all;
  flags->generation = generation;
  all = flags;
  pthread_mutex_unlock(&lock);
  return flags;
}

void flags_remove(struct flags *flags) {
  pthread_mutex_lock(&lock);
  for (struct flags **at = &all; *at; at = &(*at)->next)
    if (*at == flags) {
      *at = flags->next;
      break;
    }
  pthread_mutex_unlock(&lock);
  free(flags);
}

/* Behind the length of the head. */
static u32 head_bytes(void) {
  u32 head = 0;
  if (table) memcpy(&head, table, sizeof head);
  return head;
}

u32 wishes_use(void (*use)(const char *text, u32 bytes, void *with), void *with) {
  pthread_mutex_lock(&lock);
  u32 now = generation, head = head_bytes();
  if (head) use(table + sizeof head, head, with);
  pthread_mutex_unlock(&lock);
  return now;
}

void wishes_use_part(u32 of, u32 start, u32 bytes,
                     void (*use)(const char *text, u32 bytes, void *with), void *with) {
  pthread_mutex_lock(&lock);
  size_t from = sizeof(u32) + head_bytes() + start;
  if (of == generation && from + bytes <= table_bytes) use(table + from, bytes, with);
  pthread_mutex_unlock(&lock);
}

/* ── text for other threads ── */

static struct kept {
  struct kept *next;
  char *key, *text;
  u32 bytes;
} *kept;

void kept_put(const char *key, const char *text, u32 bytes) {
  struct kept *one = malloc(sizeof *one);
  if (!one) return;
  *one = (struct kept){.key = strdup(key), .text = malloc(bytes + 1), .bytes = bytes};
  if (!one->key || !one->text) {
    free(one->key);
    free(one->text);
    free(one);
    return;
  }
  memcpy(one->text, text, bytes);
  pthread_mutex_lock(&lock);
  one->next = kept;
  kept = one;
  pthread_mutex_unlock(&lock);
}

char *kept_take(const char *key, u32 *bytes) {
  char *text = 0;
  pthread_mutex_lock(&lock);
  for (struct kept **at = &kept; *at; at = &(*at)->next) {
    struct kept *one = *at;
    if (strcmp(one->key, key) != 0) continue;
    *at = one->next;
    text = one->text;
    *bytes = one->bytes;
    free(one->key);
    free(one);
    break;
  }
  pthread_mutex_unlock(&lock);
  return text;
}

/* ── what the agent calls, one call at a time ── */

static int set(char *to, const char *from) {
  if (strlen(from) >= MOST_TEXT) return 0;
  strcpy(to, from);
  return 1;
}

/* Puts the preload before the program's own options: what they load is rewritten as well. The
 * preload puts the program's back. */
static int add_option(const char *preload) {
  static char options[2 * MOST_TEXT + 64];
  const char *own = getenv("NODE_OPTIONS");
  entered.has_options = own != 0;
  if (own && !set(entered.options, own)) return 0;
  if (strpbrk(preload, "\"\\") || strlen(preload) >= MOST_TEXT) return 0;
  strcpy(options, "--require \"");
  strcat(options, preload);
  strcat(options, "\"");
  if (own && *own) strcat(strcat(options, " "), own);
  return setenv("NODE_OPTIONS", options, 1) == 0;
}

/* The preload begins at once, or, where it is there already, finds out what has changed. */
static int enter_live(const char *preload) {
  static char script[MOST_TEXT + 256];
  if (!live_find()) return NODE_PROBLEM_UNKNOWN_VERSION;
  if (strpbrk(preload, "\"\\\n") || strlen(preload) >= MOST_TEXT) return NODE_PROBLEM_LONG_PATH;
  strcpy(script, "try { if (globalThis.$strobe) $strobe(-1);"
                 " else process.getBuiltinModule('module').createRequire('/')(\"");
  strcat(strcat(script, preload), "\") } catch {}");
  return live_run(script) ? NODE_PROBLEM_FITS : NODE_PROBLEM_UNKNOWN_VERSION;
}

int enter_alone(const char *engine_path, const char *notes, const char *service, const char *root,
                const char *options) {
  if (!engine_find(engine_path)) return 0;
  entered.has_options = options != 0;
  if (!set(entered.service, service) || !set(entered.root, root) ||
      (options && !set(entered.options, options)))
    return 0;
  notes_begin(notes);
  __atomic_add_fetch(&entered.times, 1, __ATOMIC_RELEASE);
  return 1;
}

/* Before the program runs or, with `at_exec` 0, while it does, and whenever another daemon takes it
 * over. The engine at path `engine_path` is loaded. `notes`: the file in which the daemon reads
 * what happens; `service`: the socket that rewrites modules; `root`: the folder of the project.
 * Returns a problem of src/protocol/nodeTracer.ts. */
EXPORT int node_prepare(const char *engine_path, const char *notes, const char *service,
                        const char *root, const char *preload, int at_exec) {
  if (!engine_find(engine_path)) return NODE_PROBLEM_NO_ENGINE;
  int is_first = entered.times == 0;
  /* They are those of one home and one project: a thread that reads them sees no other text. */
  if (!set(entered.service, service) || (is_first && !set(entered.root, root)))
    return NODE_PROBLEM_LONG_PATH;
  if (is_first && at_exec && !add_option(preload)) return NODE_PROBLEM_LONG_PATH;
  if (is_first) entered.is_live = !at_exec;
  notes_begin(notes);
  __atomic_add_fetch(&entered.times, 1, __ATOMIC_RELEASE);
  return entered.is_live ? enter_live(preload) : NODE_PROBLEM_FITS;
}

/* Whether the main thread of a process that was running has done what it was asked for, or stands
 * still: then the daemon asks it itself. */
EXPORT int node_is_done(void) {
  return __atomic_load_n(&entered.main_stands, __ATOMIC_ACQUIRE) || live_done() == live_asked();
}

/* Every function is looked at once more, which finds out whether it is still wanted. */
static void look_again(void) {
  generation++;
  for (struct flags *one = all; one; one = one->next) {
    __atomic_store_n(&one->generation, generation, __ATOMIC_RELEASE);
    memset(one->bytes, NODE_FLAG_LOOK, one->count);
  }
}

/* Whether breakpoints were wanted before, by the agent's thread alone. */
static int had_sites;

/* A launched program's main thread can be told once the preload has run in it. */
static int can_wake(void) {
  return __atomic_load_n(&entered.has_preload, __ATOMIC_ACQUIRE) && live_find();
}

static int has_in_head(const char *word) {
  u32 bytes = head_bytes();
  return bytes && memmem(table + sizeof bytes, bytes, word, strlen(word)) != 0;
}

static const char *map_table(const char *path, size_t *bytes) {
  int file = unseen_open(path, O_RDONLY | O_CLOEXEC, 0);
  struct stat stat;
  void *mapped = MAP_FAILED;
  if (file >= 0 && fstat(file, &stat) == 0 && stat.st_size >= (off_t)sizeof(u32))
    mapped = mmap(0, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (file >= 0) unseen_close(file);
  if (mapped == MAP_FAILED) return 0;
  *bytes = (size_t)stat.st_size;
  return mapped;
}

/* `path`: the file that says what is wanted; empty: nothing is. 0: it cannot be read. */
EXPORT int node_want(const char *path) {
  size_t bytes = 0;
  const char *mapped = *path ? map_table(path, &bytes) : 0;
  if (*path && !mapped) return 0;
  pthread_mutex_lock(&lock);
  if (table) munmap((void *)table, table_bytes);
  table = mapped;
  table_bytes = bytes;
  int has_sites = has_in_head("\"sites\":") || has_in_head("\"raises\":");
  look_again();
  pthread_mutex_unlock(&lock);
  if (entered.is_live || ((has_sites || had_sites) && can_wake()))
    live_run("try { $strobe(-1) } catch {}");
  had_sites = has_sites;
  return 1;
}

/* Nothing is wanted until a daemon wants something again. */
EXPORT void node_leave(void) { node_want(""); }
