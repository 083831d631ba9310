/* A note about an exception, while it is put together.
 *
 * A note `uncaught`: process · thread · exceptions, parted by EXCEPTION, the one that ended the
 * program first, then its causes. An exception is: how the one before follows from it · class ·
 * message · frames, parted by FIELD, the newest first. A frame is: function · line · file · locals,
 * parted by PART. A local is `p` for a parameter, else `l`, its name, `=`, and its value in
 * hexadecimal (model/values/dynamicValue.ts). A note `crashed` is the same without class, message
 * and locals. */
#ifndef STROBE_PYTHON_LINE_H
#define STROBE_PYTHON_LINE_H

#include <stddef.h>

#define FIELD "\x1f"
#define PART "\x1e"
#define EXCEPTION "\x1d"
enum { MOST_LINE_BYTES = 60000 };

struct line {
  char text[MOST_LINE_BYTES];
  size_t length;
};

/* What finds no room is left out. */
__attribute__((format(printf, 2, 3))) void say(struct line *line, const char *format, ...);
/* At most so much of a text, with blanks in place of control characters. */
void say_text(struct line *line, const char *text, size_t most);

#endif
