#include "monitor.h"
#include "calls.h"
#include "codes.h"
#include "engine.h"
#include "frames.h"
#include "raises.h"
#include "stops.h"
#include "table.h"

#include <stdlib.h>

/* Which code is of interest is found out at its first call: PY_START is on for all code, and off
 * again for code that is not wanted. Wanted code has events of its own. Exceptions have events for
 * all code or none, up to 3.14. Code with breakpoints has LINE events, which are off again for its
 * other lines; that which runs or waits when they come is found in the frames of threads, and as it
 * goes on. */

enum event { START, RETURN, YIELD, RESUME, UNWIND, HANDLED, THROW, RAISE, LINE, EVENTS };

static const char *const event_names[EVENTS] = {
    "PY_START",          "PY_RETURN", "PY_YIELD", "PY_RESUME", "PY_UNWIND",
    "EXCEPTION_HANDLED", "PY_THROW",  "RAISE",    "LINE",
};
static long event_bits[EVENTS];
enum { MOST_FRAMES = 10000 };

/* Tools by number: those that nothing else is meant for first (PEP 669). */
static const int tool_ids[] = {4, 3, 5, 2, 1, 0};
static int tool = -1;

static object *monitoring, *disable, *set_local_events, *set_events, *restart_events;

/* From 3.15 on exceptions have events of single code objects. */
static int has_local_exceptions(void) { return python.minor >= 15; }

static object *new_disable(void) {
  python.Py_IncRef(disable);
  return disable;
}

static void drop(object *result) {
  if (result) python.Py_DecRef(result);
  else python.PyErr_Clear();
}

static object *frame_now(void) { return frames_of_thread(python.PyThreadState_GetUnchecked()); }

/* The frame that runs this code now. */
static struct frame frame_of(object *code) {
  object *own = frame_now();
  if (own && frames_code(own) == code) return frame_at(own, code);
  return (struct frame){own, code, 0, 0};
}

static long events_of_calls(void) {
  long events = event_bits[START] | event_bits[RETURN] | event_bits[YIELD] | event_bits[RESUME];
  if (has_local_exceptions())
    events |= event_bits[UNWIND] | event_bits[HANDLED] | event_bits[THROW] | event_bits[RAISE];
  return events;
}

static void set_local(object *code, long events) {
  drop(python.PyObject_CallFunction(set_local_events, "iOl", tool, code, events));
}

/* ── code in which steps may end ── */

struct stepped {
  struct stepped *next;
  object *code;
};
static struct stepped *all_stepped;

static int is_stepped(const object *code) {
  const struct stepped *one = all_stepped;
  while (one && one->code != code) one = one->next;
  return one != 0;
}

static long events_of_steps(const object *code) {
  if (!is_stepped(code)) return 0;
  return event_bits[LINE] | event_bits[RETURN] | event_bits[YIELD];
}

static void arm(struct code *code) {
  long events = code->function->is_wanted ? events_of_calls() : 0;
  codes_meet_sites(code);
  if (code->has_sites) events |= event_bits[LINE];
  code->is_armed = 1;
  set_local(code->object, events | events_of_steps(code->object));
}

static void disarm(struct code *code) {
  if (!code->is_armed) return;
  code->is_armed = 0;
  set_local(code->object, events_of_steps(code->object));
}

static void arm_or_disarm(object *object) {
  struct code *code = codes_known(object);
  if (code) arm(code);
  else set_local(object, events_of_steps(object));
}

static void add_stepped(object *code) {
  struct stepped *one = is_stepped(code) ? 0 : malloc(sizeof *one);
  if (!one) return;
  python.Py_IncRef(code);
  *one = (struct stepped){all_stepped, code};
  all_stepped = one;
  arm_or_disarm(code);
}

static void drop_stepped(void) {
  while (all_stepped) {
    struct stepped *one = all_stepped;
    all_stepped = one->next;
    arm_or_disarm(one->code);
    python.Py_DecRef(one->code);
    free(one);
  }
}

/* Events of all code. */
static void set_global(void) {
  long events = functions_sited > 0 ? event_bits[START] | event_bits[RESUME] : 0;
  if (functions_wanted > 0) {
    events |= event_bits[START];
    if (!has_local_exceptions())
      events |= event_bits[UNWIND] | event_bits[HANDLED] | event_bits[THROW] | event_bits[RAISE];
  }
  if (raises_wanted > 0) events |= event_bits[START] | event_bits[RAISE];
  if (stops_led > 0) events |= event_bits[UNWIND];
  if (stops_led_anywhere > 0)
    events |= event_bits[LINE] | event_bits[START] | event_bits[RETURN] | event_bits[YIELD];
  drop(python.PyObject_CallFunction(set_events, "il", tool, events));
}

void monitor_follow(void *thread) {
  if (tool < 0) return;
  if (!stops_led) drop_stepped();
  set_global();
  if (!stops_is_led(thread)) return;
  drop(python.PyObject_CallFunction(restart_events, 0));
  for (object *own = frames_of_thread(thread); own; own = frames_back(own))
    add_stepped(frames_code(own));
}

/* The thread that runs stood still, and may be led on now: lines that were off are asked for
 * again, in the functions that it is in. */
static void follow_steps(void) { monitor_follow(python.PyThreadState_GetUnchecked()); }

/* ── callbacks: (code, offset of the instruction, …) ── */

/* Where a thread may come to that is to stand, no event is off. */
static object *passed(void) { return stops_led_anywhere ? new_none() : new_disable(); }

static object *on_start(object *self, object *const *arguments, ssize_t count) {
  (void)self, (void)count;
  stops_come_in();
  struct code *code = codes_known(arguments[0]);
  if (!code && !uncaught_is_told_by(arguments[0])) return passed();
  if (code && !code->is_armed) arm(code);
  if (code && !code->function->is_wanted) return passed();
  struct frame frame = frame_of(arguments[0]);
  if (code) calls_enter(code, &frame);
  else {
    struct ended ended = uncaught_told(&frame);
    if (stops_at_uncaught(&ended)) follow_steps();
  }
  return new_none();
}

static object *on_line(object *self, object *const *arguments, ssize_t count) {
  (void)self, (void)count;
  stops_come_in();
  struct code *code = codes_known(arguments[0]);
  u32 line = (u32)python.PyLong_AsLong(arguments[1]);
  int is_at_site = code && sites_are_at(&code->function->sites, line);
  if (!is_at_site && !stops_led) return new_disable();
  struct frame frame = frame_of(arguments[0]);
  struct stopping stopping = {0};
  if (is_at_site)
    sites_reach(&code->function->sites, code->function->file, line, &frame, &stopping);
  if (stops_at_line(&frame, line, stopping.keys)) follow_steps();
  return new_none();
}

static object *happened(u32 kind, object *const *arguments, object *value) {
  struct code *code = codes_find(arguments[0]);
  if (!code) return new_none();
  struct frame frame = frame_of(arguments[0]);
  calls_event(code->function, kind, &frame, value);
  return new_none();
}

static object *left(u32 kind, object *const *arguments, object *value) {
  stops_come_in();
  object *none = happened(kind, arguments, value);
  if (!stops_led) return none;
  struct frame frame = frame_of(arguments[0]);
  if (stops_at_return(&frame, value, kind == EVENT_SUSPEND)) follow_steps();
  return none;
}

static object *on_return(object *self, object *const *arguments, ssize_t count) {
  (void)self;
  return left(EVENT_RETURN, arguments, count > 2 ? arguments[2] : 0);
}

static object *on_yield(object *self, object *const *arguments, ssize_t count) {
  (void)self;
  return left(EVENT_SUSPEND, arguments, count > 2 ? arguments[2] : 0);
}

static object *on_resume(object *self, object *const *arguments, ssize_t count) {
  (void)self, (void)count;
  struct code *code = codes_known(arguments[0]);
  if (code && !code->is_armed) arm(code);
  if (!code || !code->function->is_wanted) return new_disable();
  return happened(EVENT_RESUME, arguments, 0);
}

static object *on_unwind(object *self, object *const *arguments, ssize_t count) {
  (void)self;
  stops_come_in();
  if (stops_led) {
    struct frame frame = frame_of(arguments[0]);
    stops_at_unwind(&frame);
  }
  return happened(EVENT_UNWOUND, arguments, count > 2 ? arguments[2] : 0);
}

static object *on_throw(object *self, object *const *arguments, ssize_t count) {
  (void)self;
  return happened(EVENT_THROW_IN, arguments, count > 2 ? arguments[2] : 0);
}

static void exception(u32 kind, struct code *code, object *const *arguments) {
  int line = python.PyCode_Addr2Line(arguments[0], (int)python.PyLong_AsLong(arguments[1]));
  struct frame frame = frame_of(arguments[0]);
  calls_exception(code->function, kind, &frame, arguments[2], line > 0 ? (u32)line : 0);
}

static object *on_handled(object *self, object *const *arguments, ssize_t count) {
  (void)self;
  struct code *code = count > 2 ? codes_find(arguments[0]) : 0;
  if (code) exception(EVENT_HANDLED, code, arguments);
  return new_none();
}

/* Comes for each frame that it passes; where it was raised it has passed none yet. */
static object *on_raise(object *self, object *const *arguments, ssize_t count) {
  (void)self;
  object *value = count > 2 ? arguments[2] : 0;
  if (!value || !(flags_of(type_of(value)) & TYPE_IS_EXCEPTION)) return new_none();
  object *traceback = GET(value, exception_traceback, object *);
  int has_passed =
      traceback && traceback != python._Py_NoneStruct && GET(traceback, traceback_next, object *);
  struct code *code = codes_find(arguments[0]);
  if (code && !has_passed) exception(EVENT_RAISE, code, arguments);
  if (!raises_wanted) return new_none();
  struct frame frame = frame_of(arguments[0]);
  if (stops_at_raise(&frame, type_of(value), value, traceback)) follow_steps();
  return new_none();
}

/* PyMethodDef */
struct method {
  const char *name;
  void *function;
  int flags;
  const char *doc;
};
enum { FAST_CALL = 0x80 };

static struct method methods[EVENTS] = {
    {"start", on_start, FAST_CALL, 0},    {"return", on_return, FAST_CALL, 0},
    {"yield", on_yield, FAST_CALL, 0},    {"resume", on_resume, FAST_CALL, 0},
    {"unwind", on_unwind, FAST_CALL, 0},  {"handled", on_handled, FAST_CALL, 0},
    {"throw_in", on_throw, FAST_CALL, 0}, {"raise", on_raise, FAST_CALL, 0},
    {"line", on_line, FAST_CALL, 0},
};

/* ── beginning and end ── */

static object *attribute(object *of, const char *name) {
  object *found = of ? python.PyObject_GetAttrString(of, name) : 0;
  if (!found) python.PyErr_Clear();
  return found;
}

static int find_functions(void) {
  if (monitoring) return 1;
  object *module = python.PySys_GetObject("monitoring");
  object *events = attribute(module, "events");
  for (u32 i = 0; i < EVENTS; i++) {
    object *bits = attribute(events, event_names[i]);
    if (!bits) return 0;
    event_bits[i] = python.PyLong_AsLong(bits);
    python.Py_DecRef(bits);
  }
  disable = attribute(module, "DISABLE");
  set_local_events = attribute(module, "set_local_events");
  set_events = attribute(module, "set_events");
  restart_events = attribute(module, "restart_events");
  if (!disable || !set_local_events || !set_events || !restart_events) return 0;
  python.Py_IncRef(module);
  monitoring = module;
  return 1;
}

static int take_tool(void) {
  for (size_t i = 0; i < sizeof tool_ids / sizeof *tool_ids && tool < 0; i++) {
    object *get_tool = attribute(monitoring, "get_tool"),
           *use_tool = attribute(monitoring, "use_tool_id");
    object *owner = python.PyObject_CallFunction(get_tool, "i", tool_ids[i]);
    if (owner == python._Py_NoneStruct) {
      object *taken = python.PyObject_CallFunction(use_tool, "is", tool_ids[i], "strobe");
      if (taken) tool = tool_ids[i];
      drop(taken);
    }
    drop(owner);
    drop(get_tool);
    drop(use_tool);
  }
  return tool >= 0;
}

static int register_callbacks(void) {
  object *register_callback = attribute(monitoring, "register_callback");
  int is_done = register_callback != 0;
  for (u32 i = 0; i < EVENTS && is_done; i++) {
    object *function = python.PyCFunction_NewEx(&methods[i], 0, 0);
    object *before =
        python.PyObject_CallFunction(register_callback, "ilO", tool, event_bits[i], function);
    is_done = before != 0;
    drop(before);
    drop(function);
  }
  drop(register_callback);
  return is_done;
}

const char *monitor_begin(void) {
  if (!find_functions()) return FAILURE_REFUSED;
  if (!take_tool()) return FAILURE_NO_TOOL_ID;
  if (!codes_begin() || !register_callbacks()) {
    monitor_end();
    return FAILURE_REFUSED;
  }
  monitor_apply();
  return 0;
}

static void arm_running(void) {
  void *thread = python.PyInterpreterState_ThreadHead(python.PyInterpreterState_Head());
  for (; thread; thread = GET(thread, thread_next, void *)) {
    object *own = frames_of_thread(thread);
    for (u32 i = 0; own && i < MOST_FRAMES; i++, own = frames_back(own)) {
      struct code *code = codes_known(frames_code(own));
      if (code && !code->is_armed) arm(code);
    }
  }
}

void monitor_apply(void) {
  if (tool < 0) return;
  for (struct code *code = codes_first(); code; code = code->next) {
    if (code->function->is_wanted || code->function->sites.lines) arm(code);
    else disarm(code);
  }
  if (functions_sited > 0) arm_running();
  set_global();
  /* Code that was not wanted is asked for again. */
  drop(python.PyObject_CallFunction(restart_events, 0));
}

/* Up to 3.13 an id that is given back leaves the events of single code objects on. */
void monitor_end(void) {
  if (tool < 0) return;
  stops_forget();
  drop_stepped();
  for (struct code *code = codes_first(); code; code = code->next) disarm(code);
  drop(python.PyObject_CallFunction(set_events, "il", tool, 0l));
  object *free_tool = attribute(monitoring, "free_tool_id");
  drop(python.PyObject_CallFunction(free_tool, "i", tool));
  drop(free_tool);
  tool = -1;
}
