/* What an attached process writes to its descriptors 1 and 2, see src/protocol/record.ts.
 *
 * A tapped function of the C library is replaced: its entry jumps to a function of ours with the
 * same arguments, which calls the displaced original and then copies what it has written. The
 * bytes go where they went before; only what the system took is copied. */
#ifndef STROBE_TAP_H
#define STROBE_TAP_H

#include "types.h"

#define FIRST_TAP (RECORD_MAX_FUNCTIONS - RECORD_MAX_TAPS)

/* Where the entry of a tapped function leads; `fn` is FIRST_TAP or above. */
u64 tap_entry(u32 fn);
/* Sets how a tapped function says what it writes, a TAP_ shape. */
void tap_set_shape(u32 fn, u32 shape);
/* Nothing is copied any more; the file is given up. */
void tap_close(void);

#endif
