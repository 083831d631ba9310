/* What keeps a program from reaching the instrumentation inside it. */
#ifndef STROBE_GUARD_H
#define STROBE_GUARD_H

/* The instrumentation goes: what stays in place of functions of libc does what they do. */
void guard_end(void);

#endif
