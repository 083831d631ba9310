#pragma once

/* Starts the process that puts programs back when this one is killed. */
void restorer_begin(void);

/* This process is about to end in order: the other one does so too, and is waited for. */
void restorer_end(void);
