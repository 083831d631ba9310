/* Writes into the code of a program that does not run now, many in one go. */
#ifndef STROBE_OUTSIDE_PATCHES_H
#define STROBE_OUTSIDE_PATCHES_H

#include "image.h"

/* `bytes` stays until patches_write. */
void patches_add(u64 address, const u8 *bytes, u32 count);
/* Forgets those whose bytes are at `bytes`: they are not to be written any more. */
void patches_drop(const u8 *bytes);
/* All that was added. Returns 0 or an error number. */
int patches_write(void);

#endif
