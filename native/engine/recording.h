/* Whether anything is recorded. */
#ifndef STROBE_RECORDING_H
#define STROBE_RECORDING_H

#include "types.h"

void recording_arm(u32 fn);
void recording_disarm(u32 fn);
/* A function that starts or stops the recording is on all the time. */
void recording_set_always(u32 fn, int is_always);
void recording_set(int is_on);

#endif
