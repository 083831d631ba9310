/* What is left of a process that dies by a signal: registers, stacks and what they point to,
 * written into the crash file (src/protocol/crashFile.ts) by the thread that dies. */
#ifndef STROBE_CRASH_H
#define STROBE_CRASH_H

/* Creates and maps the file beside the ring file. Without it (no room, no permission) a crash is
 * as without us. */
void crash_open(const char *ring_path);
int crash_is_open(void);
/* Whether it is this process's, and not a parent's. */
int crash_is_own(void);
/* A parent's is not to be written in: as if none were open. */
void crash_forget(void);
/* Nobody reads it any more. */
void crash_close(void);

/* Called by the thread that dies once its file is written: a runtime tells of its own calls. */
void crash_tell_also(void (*tell)(void));

/* From the signal's handler, when the program leaves the signal to its default action: that is,
 * when it is about to die. Returns when the file is written, or after a few seconds. */
void crash_write(int number, const void *information, const void *context);

#endif
