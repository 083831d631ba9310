/* Stopping threads by signal, for those that cannot be traced: a thread that begins to wait just
 * then may see EINTR. */
#ifndef STROBE_STOP_BY_SIGNAL_H
#define STROBE_STOP_BY_SIGNAL_H

#include "stopWork.h"

/* As stop_threads; two seconds. */
int stop_by_signal(const struct stop_work *work);

#endif
