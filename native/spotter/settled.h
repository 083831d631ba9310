#ifndef SPOTTER_SETTLED_H
#define SPOTTER_SETTLED_H

/* Whether what any thread of the process wrote before this call is in its ring by now; 0 also where
 * that cannot be said. */
int writes_are_recorded(int pid);

#endif
