/* Waiting for stops of threads. */
#ifndef STROBE_STOPPER_WAITS_H
#define STROBE_STOPPER_WAITS_H

#include <sys/types.h>
#include <sys/wait.h>

/* What has stopped or ended, of all or of one; 0: nothing yet; less: there is none. A stop stays
 * one that was not waited for. Were we killed, the kernel then gives the thread the signal that
 * stopped it; of a stop that was waited for the signal is lost (wait_task_stopped in the kernel's
 * exit.c), and a thread that met an int3 would go on behind it, in the middle of an instruction.
 * `status`: as of waitpid. */
pid_t wait_look(idtype_t which, pid_t id, int *status);
/* A thread that was looked at stays where it is, with registers that say where it goes on. */
void wait_end(pid_t tid);

#endif
