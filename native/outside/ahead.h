/* Memory of rings is taken ahead of the threads that write them: a fresh page costs as much as some
 * seventy calls, one that is there already a tenth of that. */
#ifndef STROBE_OUTSIDE_AHEAD_H
#define STROBE_OUTSIDE_AHEAD_H

#include "../engine/types.h"

/* Takes memory in a thread of its own from now on, whenever a thread of the program has gone
 * through a part of its ring. Where it cannot, threads take all of it themselves. */
void ahead_begin(int ring_file, u64 slot_stride, u32 slot_count);

#endif
