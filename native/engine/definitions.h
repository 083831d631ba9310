/* What numbers mean, see definitions.c. */
#ifndef STROBE_DEFINITIONS_H
#define STROBE_DEFINITIONS_H

#include "types.h"

/* What was defined in an epoch that is over is kept for the next. */
void definitions_leave(u64 epoch);
/* Numbers of before keep their meaning: the file holds what was kept. */
void definitions_start(void);

#endif
