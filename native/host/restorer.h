#pragma once

/* Starts the process that puts programs back when this one is killed. Its name takes the place of
 * these arguments of this one. */
void restorer_begin(int count, char **arguments);

/* This process is about to end in order: the other one does so too, and is waited for. */
void restorer_end(void);
