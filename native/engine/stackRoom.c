/* See stackRoom.h. */
#include "stackRoom.h"
#include "raw.h"
#include "record.h"

static u32 has_room; /* forked children too */

struct limits stack_room_added(const struct limits *wanted) {
  struct limits wide = *wanted;
  int is_whole = !(wide.soft & STACK_ROOM_MARK_MASK);
  if (has_room && is_whole && wide.soft <= wide.hard && wide.hard - wide.soft >= STACK_ROOM_BYTES)
    wide.soft += STACK_ROOM_BYTES;
  return wide;
}

void stack_room_hide(struct limits *read) {
  if ((read->soft & STACK_ROOM_MARK_MASK) == STACK_ROOM_MARK && read->soft > STACK_ROOM_BYTES)
    read->soft -= STACK_ROOM_BYTES;
}

/* Only where what the process executes gets its limit back. */
EXPORT void engine_make_stack_room(void) {
  struct limits now;
  if (raw4(__NR_prlimit64, 0, STACK_LIMIT, 0, &now) != 0) return;
  has_room = 1;
  struct limits wide = stack_room_added(&now);
  if (wide.soft != now.soft) raw4(__NR_prlimit64, 0, STACK_LIMIT, &wide, 0);
}
