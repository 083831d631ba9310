/* Fault signals of a process that was entered alone. */
#ifndef STROBE_NODE_FAULTS_H
#define STROBE_NODE_FAULTS_H

/* Has a fault that the program leaves to its default action written down by the engine, whose
 * `pass_sent_signals` is given. Handlers of the program stay. */
void faults_begin(void (*pass_sent_signals)(void *sigaction));

#endif
