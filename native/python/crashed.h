/* The Python calls of a thread in which a signal ends the process. */
#ifndef STROBE_PYTHON_CRASHED_H
#define STROBE_PYTHON_CRASHED_H

/* Tells the daemon of them. From the handler of the signal: nothing is allocated, no lock is taken,
 * and nothing of the interpreter is believed. */
void crashed_note(void);

#endif
