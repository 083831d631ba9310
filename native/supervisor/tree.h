/* The descendants of the supervisor. */
#ifndef STROBE_TREE_H
#define STROBE_TREE_H

#include <sys/types.h>

int tree_signal(pid_t group, int number); /* every descendant of the supervisor; 0 or errno */
void tree_each(void (*found)(void *, pid_t, pid_t),
               void *context); /* pid and parent of every descendant */

#endif
