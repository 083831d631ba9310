/* An exception that nothing caught: it ends the program, its thread or its task. */
#ifndef STROBE_PYTHON_UNCAUGHT_H
#define STROBE_PYTHON_UNCAUGHT_H

#include "line.h"
#include "moment.h"

/* What it was; null where that is not known. */
struct ended {
  object *type, *value, *traceback;
};

/* Tells the daemon of it. `arguments`: those of the audit event sys.excepthook: hook, class, value,
 * traceback. */
struct ended uncaught_audited(object *arguments);

/* Of other threads, and of tasks, the interpreter has no event for that: `threading` and `asyncio`
 * have code that is run then. Notices it among code that is run first. */
void uncaught_look(const object *code);
/* Whether it is that code. */
int uncaught_is_told_by(const object *code);
/* It is run now. */
struct ended uncaught_told(const struct frame *frame);

/* Frames of a traceback, the newest first: one by its number or null, how many, and as a note says
 * them. */
object *uncaught_frame(object *traceback, u32 number);
u32 uncaught_depth(object *traceback);
void uncaught_say_frames(struct line *line, object *traceback);
/* Adds class and message of an exception, each behind a FIELD. */
void uncaught_say_what(struct line *line, object *type, object *value);

#endif
