/* What all JavaScript threads of the process share: how it was entered, what is wanted, and the
 * bytes that say which functions are looked at. */
#ifndef STROBE_NODE_PROCESS_H
#define STROBE_NODE_PROCESS_H

#include "engine.h"

/* Of the paths and the options that the agent hands in. */
enum { MOST_TEXT = 8192 };

struct entered {
  char service[MOST_TEXT], root[MOST_TEXT];
  char options[MOST_TEXT]; /* NODE_OPTIONS as the user set them */
  int has_options;
  /* How often: each daemon that takes the process over enters it once more. */
  u32 times;
  /* It was running when it was entered first: its main thread gets what is wanted. */
  int is_live;
  /* The preload runs in the main thread. */
  int has_preload;
  /* The main thread stands still, and asks what to do. */
  int main_stands;
};

extern struct entered entered;

/* By a process itself, before its program runs; see node_prepare. `options`: NODE_OPTIONS of the
 * user, or null. Returns whether it is entered now. */
int enter_alone(const char *engine_path, const char *notes, const char *service, const char *root,
                const char *options);
/* What the agent calls, or who serves the daemon in its stead; see process.c. */
int node_want(const char *path);
void node_leave(void);
int node_is_done(void);

/* The bytes of one thread's functions: 0: not looked at; others: the preload says. */
struct flags {
  struct flags *next;
  u32 count;
  /* How often what is wanted has changed; the thread looks once more when it differs. */
  u32 generation;
  u8 bytes[];
};

/* Zeros; null: there is no memory. */
struct flags *flags_add(u32 count);
void flags_remove(struct flags *flags);

/* Calls `use` with the head of what is wanted now, unless nothing is. Returns its generation. */
u32 wishes_use(void (*use)(const char *text, u32 bytes, void *with), void *with);
/* The same with a part of it, unless something else is wanted than in generation `of`. */
void wishes_use_part(u32 of, u32 start, u32 bytes,
                     void (*use)(const char *text, u32 bytes, void *with), void *with);

/* Text that one thread keeps for another of the process, by key. `take` returns null where there is
 * none; the caller frees it. */
void kept_put(const char *key, const char *text, u32 bytes);
char *kept_take(const char *key, u32 *bytes);

#endif
