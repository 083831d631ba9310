#include "raisedAt.h"
#include "frames.h"
#include "paths.h"
#include "raises.h"

#include <string.h>

enum { MOST_TRACEBACKS = 1000 };

/* Of the program, and not of a library. */
static int is_own(object *code) {
  static const char *const libraries[] = {"/site-packages/", "/dist-packages/", "/lib/python3"};
  struct source *source = path_of(GET(code, co_filename, object *));
  for (size_t i = 0; source && i < sizeof libraries / sizeof *libraries; i++)
    if (strstr(source->path, libraries[i])) return 0;
  return source != 0;
}

static object *code_of(object *traceback) {
  object *frame = GET(traceback, traceback_frame, object *);
  if (frame && offsets.frame_object_frame != NO_MEMBER)
    frame = GET(frame, frame_object_frame, object *);
  return frame ? untagged(GET(frame, frame_code, object *)) : 0;
}

static object *next_of(object *traceback) {
  object *next = GET(traceback, traceback_next, object *);
  return next && next != python._Py_NoneStruct ? next : 0;
}

/* It came to code of the program before: its traceback begins here and leads to where it was. */
static int was_seen(object *traceback) {
  if (!traceback || type_of(traceback) != python.PyTraceBack_Type) return 0;
  object *one = next_of(traceback);
  for (u32 i = 0; one && i < MOST_TRACEBACKS; i++, one = next_of(one)) {
    object *code = code_of(one);
    if (code && type_of(code) == python.PyCode_Type && is_own(code)) return 1;
  }
  return 0;
}

void raised_at(const struct frame *frame, object *type, object *traceback, char *keys) {
  if (!is_own(frame->code) || was_seen(traceback)) return;
  raises_add(type, 0, keys);
}
