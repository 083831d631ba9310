/* Frames of the interpreter: which called which, and how a note says them. Needs the interpreter
 * lock. */
#ifndef STROBE_PYTHON_FRAMES_H
#define STROBE_PYTHON_FRAMES_H

#include "line.h"
#include "moment.h"

/* The newest frame of Python code of a thread, or null. */
object *frames_of_thread(void *thread);
/* The frame of Python code that called this one, or null. */
object *frames_back(object *own);
/* How many frames of Python code there are from this one on. */
u32 frames_depth(object *own);
/* The code that runs in it. */
object *frames_code(const object *own);
struct frame frames_at(object *own);
/* The line it is in. */
int frames_line(object *own, object *code);

/* Adds function, line and file, behind a FIELD. */
void frames_say(struct line *line, object *code, int number);
/* Adds its variables, each behind a PART, in at most that number of words each, until the note has
 * that number of bytes. */
void frames_say_variables(struct line *line, const struct frame *frame, u32 most_words,
                          size_t until);
/* The same with the variables of a module, where the frame is its. */
void frames_say_globals(struct line *line, const struct frame *frame, u32 most_words, size_t until);
/* The bytes of a value, in hexadecimal. */
void frames_say_bytes(struct line *line, const u64 *words, u32 count);

#endif
