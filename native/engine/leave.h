/* Leaving a process that lives on: nothing is recorded any more, and a later start begins anew. */
#ifndef STROBE_LEAVE_H
#define STROBE_LEAVE_H

#include "raw.h"

/* Maps the ring file, where the one before lay if that is as large. Returns the address or an error. */
long leave_reuse(u64 bytes, long file);

#endif
