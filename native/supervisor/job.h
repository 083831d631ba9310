/* A target that has its caller's terminal. */
#ifndef STROBE_JOB_H
#define STROBE_JOB_H

#include <sys/types.h>

void job_prepare(void); /* before it starts */
/* In the standby: what the caller asks is passed on to the supervisor. */
void job_relay(pid_t supervisor);
/* In the standby: the target has ended. */
void job_let_go(void);
void job_begin(pid_t target);
void job_stopped(void); /* the target stopped, by no hand of ours */
void job_ended(int status);

#endif
