/* Forked children, see forked.c. */
#ifndef STROBE_FORKED_H
#define STROBE_FORKED_H

void forked_start(void);
void forked_leave(void);
void engine_forked_child(void);
/* Gives a forked child a ring file of its own; signals are blocked. Returns whether it has one. */
int forked_begin(void);
/* For a process that dies: a forked child has its parent's crash file, which is not its to write
 * in, and makes one now. */
void forked_open_crash(void);

#endif
