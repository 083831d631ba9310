/* Room for the frames of traced calls on the main thread's stack: a recursion that fits the
 * program's limit alone fits it traced. The kernel looks at the limit when the stack grows, and
 * leaves 128 MB below it free; so it can be raised while the program runs. What the program
 * executes gets its own limit back from the supervisor, who knows a raised one by its end
 * (src/protocol/supervisor.ts). */
#ifndef STROBE_STACK_ROOM_H
#define STROBE_STACK_ROOM_H

#include "types.h"

#define STACK_LIMIT 3 /* RLIMIT_STACK */

struct limits {
  u64 soft, hard;
};

/* What the program wants its limit to be, and the room beside it; without room, or where it cannot
 * be had, what it wants. */
struct limits stack_room_added(const struct limits *wanted);
/* Makes of a limit that was read what it would be without room. */
void stack_room_hide(struct limits *read);

#endif
