/* Threads that stand still at breakpoints, and those that a step leads on: until where. Others run
 * meanwhile. Needs the interpreter lock, which a thread gives up while it stands. */
#ifndef STROBE_PYTHON_STOPS_H
#define STROBE_PYTHON_STOPS_H

#include "moment.h"

/* How many threads are led, and how many of them may end in any function. */
extern u32 stops_led, stops_led_anywhere;

/* The thread that runs comes to a line, which breakpoints of these keys are to stop, or none. It
 * stands still where it is to, and returns when it continues: 1, as it may be led now in another
 * way; else 0. */
int stops_at_line(const struct frame *frame, u32 line, const char *keys);
/* The same as a call of it returns, or waits to go on. */
int stops_at_return(const struct frame *frame, object *value);
/* Whether the thread that runs is led. */
int stops_is_led(void);
/* None is led any more. */
void stops_forget(void);

#endif
