/* Descriptors that were open when the supervisor was started, but for 0 to 2: the target's. */
#ifndef STROBE_INHERITED_H
#define STROBE_INHERITED_H

/* Before anything is opened. `spec` and `answer` are the supervisor's own. */
void inherited_note(int spec, int answer);
void inherited_pass_on(void); /* in the target: they stay open at its exec */
void inherited_close(void);

#endif
