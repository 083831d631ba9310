/* Breakpoints at lines of a function, and what is asked where it returns
 * (src/protocol/pythonTracer.ts). All of it needs the interpreter lock. */
#ifndef STROBE_PYTHON_SITES_H
#define STROBE_PYTHON_SITES_H

#include "files.h"
#include "moment.h"
#include "reader.h"

struct site;

enum { MOST_STOPPING = 256 };
/* Those at which the thread is to stand still: their keys, parted by blanks. */
struct stopping {
  char keys[MOST_STOPPING];
};

/* Those of one function. A site stays where it is for as long as the process lives. */
struct sites {
  struct site *first;
  u32 lines, returns; /* how many are wanted */
};

/* Reads what is wanted; null: of nothing. */
void sites_read(struct reader *from, struct sites *sites);
void sites_want_none(struct sites *sites);
/* Whether one is in this line. */
int sites_are_at(const struct sites *sites, u32 line);
/* A call comes to this line of a file; adds those that stop it. */
void sites_reach(const struct sites *sites, struct file *file, u32 line, const struct frame *frame,
                 struct stopping *stopping);
/* It returns. */
void sites_return(const struct sites *sites, struct file *file, const struct moment *moment);
/* Tells that the code runs in which they are; `has`: whether a line has instructions there. */
void sites_tell(const struct sites *sites, object *code, int (*has)(object *code, u32 line));
/* Tells that the code that runs has other lines than the file. */
void sites_tell_edited(const struct sites *sites);

#endif
