/* See processName.h. */
#include "processName.h"

#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

static char *own;
static size_t room;

void name_room(char *name) {
  own = name;
  room = strlen(name);
}

void name_process(const char *name) {
  memset(own, 0, room);
  strncpy(own, name, room);
  prctl(PR_SET_NAME, name, 0, 0, 0);
}
