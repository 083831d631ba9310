/* The name of this process, as ps shows it. */
#ifndef STROBE_PROCESS_NAME_H
#define STROBE_PROCESS_NAME_H

/* Its room, before any other call. */
void name_room(char *name);
void name_process(const char *name);

#endif
