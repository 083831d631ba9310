/* What Node prints of an exception that nothing caught shows the line of source it was thrown in,
 * as V8 has it. It is led back to the original line. */
#ifndef STROBE_NODE_PRINTED_H
#define STROBE_NODE_PRINTED_H

#include "engine.h"

/* Holds back what is written to standard error from here on until the process exits, and replaces a
 * line of `lines` then. `lines` is a line as it runs, the original one, and the column in it of
 * each column of the first, by commas: all ended by a zero. It is kept. */
void printed_hold(char *lines, u32 bytes);

#endif
