/* How long goroutines wait: hooks of what lets them wait. runtime.gopark runs on the goroutine's
 * own stack and is left when it runs again, on any thread; calls of the system that may take long
 * pass through syscall.Syscall and Syscall6. */
#ifndef STROBE_OUTSIDE_WAITS_H
#define STROBE_OUTSIDE_WAITS_H

#include "image.h"

/* Writes WAIT_COUNT rows (record.ts, armEntry), and tells the code in the program by which numbers
 * its runtime names reasons to wait. Returns how many; 0: not a program of Go. */
u32 waits_rows(const struct image *image, u8 *rows);

#endif
