/* See forbidden.h. */
#include "forbidden.h"
#include "../engine/raw.h"
#include "clock.h"
#include <stdio.h>
#include <unistd.h>

static int ring = -1;

void forbidden_begin(int ring_file) { ring = ring_file; }

u32 forbidden_read(void) {
  u32 calls = 0;
  return ring >= 0 && pread(ring, &calls, sizeof calls, FILE_FORBIDDEN) == sizeof calls ? calls : 0;
}

void forbidden_say(void) {
  static u32 said;
  u64 at = 0;
  flockfile(stdout);
  u32 calls = forbidden_read();
  if (calls & ~said && pread(ring, &at, sizeof at, FILE_FORBIDDEN_AT) == sizeof at) {
    printf("forbids %u %lu\n", calls & ~said, clock_time(at ? at : timestamp()));
    said |= calls;
    fflush(stdout);
  }
  funlockfile(stdout);
}
