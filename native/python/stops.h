/* Threads that stand still at breakpoints, and those that a step leads on: until where. Others run
 * meanwhile. Needs the interpreter lock, which a thread gives up while it stands. */
#ifndef STROBE_PYTHON_STOPS_H
#define STROBE_PYTHON_STOPS_H

#include "uncaught.h"

/* How many threads are led, and how many of them may end in any function. */
extern u32 stops_led, stops_led_anywhere;

/* The thread that runs comes to a line, which breakpoints of these keys are to stop, or none. It
 * stands still where it is to, and returns when it continues: 1, as it may be led now in another
 * way; else 0. */
int stops_at_line(const struct frame *frame, u32 line, const char *keys);
/* The same as a call of it returns, or waits to go on. */
int stops_at_return(const struct frame *frame, object *value, int is_suspended);
/* An exception leaves a call of it. */
void stops_at_unwind(const struct frame *frame);
/* The same as stops_at_line where an exception comes to. */
int stops_at_raise(const struct frame *frame, object *type, object *value, object *traceback);
/* The same where nothing caught one. */
int stops_at_uncaught(const struct ended *ended);
/* Whether a thread is led. */
int stops_is_led(const void *thread);
/* A thread of which another says where it stands, as it waited in native code, comes out of that:
 * it stands until it is let go. */
void stops_come_in(void);
/* None is led any more. */
void stops_forget(void);

/* One thread is to stand still, or with 0 all: those that run do so at their next line. `follow`:
 * what a thread is to be led by has changed, another may have to be traced. */
void stops_pause(u32 tid, void (*follow)(void *thread));
/* How many have not come to that. */
u32 stops_awaited(void);
/* For those that have not, as they wait in native code, threads of ours say where they stand. */
void stops_speak_for_awaited(void);
/* The threads that were paused last; returns how many. */
u32 stops_paused(u32 *tids, u32 most);

#endif
