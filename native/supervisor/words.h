/* What is told of a supervisor that was lost. */
#ifndef STROBE_WORDS_H
#define STROBE_WORDS_H

void words_open(const char *folder);
void words_to(int fd); /* what is written to it comes there, too */
void say(const char *format, ...) __attribute__((format(printf, 1, 2))); /* a line, with its end */
void words_close(void); /* nothing was said: nothing is left */

#endif
