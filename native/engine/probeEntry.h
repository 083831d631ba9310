/* Where islands of statements lead, see x64/probeEntry.S. It is not called. */
#ifndef STROBE_PROBE_ENTRY_H
#define STROBE_PROBE_ENTRY_H

#include "types.h"

extern u8 engine_probe[] __attribute__((visibility("hidden")));

#endif
