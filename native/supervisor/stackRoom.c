/* See stackRoom.h. */
#define _GNU_SOURCE
#include "stackRoom.h"
#include "wire.h"

#include <stddef.h>
#include <sys/resource.h>

void stack_room_take_back(pid_t pid) {
  struct rlimit now;
  if (prlimit(pid, RLIMIT_STACK, NULL, &now) != 0) return;
  if ((now.rlim_cur & STACK_ROOM_MARK_MASK) != STACK_ROOM_MARK || now.rlim_cur <= STACK_ROOM_BYTES)
    return;
  now.rlim_cur -= STACK_ROOM_BYTES;
  prlimit(pid, RLIMIT_STACK, &now, NULL);
}
