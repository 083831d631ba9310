/* Greenlets, which take turns on a thread with stacks of their own. Needs the interpreter lock. */
#ifndef STROBE_PYTHON_GREENLETS_H
#define STROBE_PYTHON_GREENLETS_H

#include "api.h"

/* The number under which the running one is defined; 0: it is the thread's own, or there is none.
 */
u32 greenlets_running(void);

/* Whether their package was imported. */
int greenlets_are_there(void);

#endif
