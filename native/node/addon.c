/* The Node-API addon that the preload (src/collector/node/preload) speaks to. A call of it that
 * records has no arguments: they are in memory that both see, as src/protocol/nodeTracer.ts says.
 */
#include <node_api.h>
#include <stdlib.h>
#include <string.h>

#include "alone.h"
#include "answers.h"
#include "ask.h"
#include "coverage.h"
#include "notes.h"
#include "pauses.h"
#include "printed.h"
#include "process.h"
#include "promises.h"

#define EXPORT __attribute__((visibility("default")))

struct room {
  u32 head[NODE_HEAD_WORDS];
  u64 words[NODE_ROOM_WORDS];
  napi_ref framed;
};

/* Of this thread: asking for what a function was made with takes longer. */
static __thread struct room *own __attribute__((tls_model("initial-exec")));

static u64 activation_of(const struct room *room) {
  return room->head[NODE_HEAD_LOW] | (u64)room->head[NODE_HEAD_HIGH] << 32;
}

static u64 least_ns(const struct room *room) {
  double ns;
  memcpy(&ns, &room->head[NODE_HEAD_NS], sizeof ns);
  return (u64)ns;
}

/* While nothing is recorded, a call is ignored up to its end. */
static u32 begins(u32 kind, u32 fn, u64 activation) {
  if (kind == EVENT_ENTER && !engine.is_recording() && engine.ignores(activation)) return 0;
  return engine.takes(kind, fn, activation);
}

static u32 act(struct room *room) {
  u32 *head = room->head, fn = head[NODE_HEAD_FUNCTION], count = head[NODE_HEAD_COUNT];
  u64 activation = activation_of(room);
  switch (head[NODE_HEAD_ACTION]) {
  case NODE_ACTION_TAKES_AND_RECORDS:
    if (!begins(head[NODE_HEAD_KIND], fn, activation)) return 0;
    engine.record(head[NODE_HEAD_KIND], fn, activation, room->words, count);
    return 1;
  case NODE_ACTION_RECORDS:
    engine.record(head[NODE_HEAD_KIND], fn, activation, room->words, count);
    return 1;
  case NODE_ACTION_TAKES: return engine.takes(head[NODE_HEAD_KIND], fn, activation);
  case NODE_ACTION_BEGINS: return begins(head[NODE_HEAD_KIND], fn, activation);
  case NODE_ACTION_COUNTS: return engine.counts(fn, activation);
  case NODE_ACTION_IGNORES: return engine.ignores(activation);
  case NODE_ACTION_WAITS: return engine.waits(fn, activation, room->words, count, least_ns(room));
  case NODE_ACTION_ENDS: return engine.ends(fn, activation, head[NODE_HEAD_KIND], least_ns(room));
  case NODE_ACTION_SHARES: return engine.set_share(fn, head[NODE_HEAD_KIND]);
  case NODE_ACTION_IS_RECORDING: return engine.is_recording();
  case NODE_ACTION_SWITCHES: engine.switch_recording(head[NODE_HEAD_KIND]); return 1;
  case NODE_ACTION_DEFINES:
    return engine.define(head[NODE_HEAD_KIND], DEFINITION_LANGUAGE_JAVASCRIPT,
                         head[NODE_HEAD_FUNCTION], (const u8 *)(room->words + NODE_ROOM_FIELDS),
                         count);
  default: return 0;
  }
}

static napi_value on_act(napi_env env, napi_callback_info info) {
  void *data;
  napi_get_cb_info(env, info, 0, 0, 0, &data);
  struct room *room = data;
  room->head[NODE_HEAD_RESULT] = act(room);
  return 0;
}

/* The two things that each recorded call does. */
static napi_value on_enter(napi_env env, napi_callback_info info) {
  (void)env;
  (void)info;
  u32 *head = own->head;
  head[NODE_HEAD_RESULT] = engine.passes(EVENT_ENTER, head[NODE_HEAD_FUNCTION], activation_of(own),
                                         own->words, head[NODE_HEAD_COUNT]);
  return 0;
}

static napi_value on_return(napi_env env, napi_callback_info info) {
  (void)env;
  (void)info;
  u32 *head = own->head;
  engine.record(EVENT_RETURN, head[NODE_HEAD_FUNCTION], activation_of(own), own->words,
                head[NODE_HEAD_COUNT]);
  return 0;
}

static void free_room(napi_env env, void *room, void *hint) {
  (void)env;
  (void)hint;
  free(room);
}

static void remove_flags(napi_env env, void *bytes, void *flags) {
  (void)env;
  (void)bytes;
  flags_remove(flags);
}

static napi_value arguments(napi_env env, napi_callback_info info, size_t count, napi_value *to) {
  napi_get_cb_info(env, info, &count, to, 0, 0);
  return to[0];
}

/* One byte per function, behind the generation of what is wanted. */
static napi_value on_flags(napi_env env, napi_callback_info info) {
  napi_value count, buffer;
  u32 wanted = 0;
  arguments(env, info, 1, &count);
  napi_get_value_uint32(env, count, &wanted);
  struct flags *flags = flags_add(wanted);
  if (!flags) return 0;
  size_t bytes = sizeof flags->generation + wanted;
  if (napi_create_external_arraybuffer(env, &flags->generation, bytes, remove_flags, flags,
                                       &buffer) == napi_ok)
    return buffer;
  flags_remove(flags);
  return 0;
}
_Static_assert(__builtin_offsetof(struct flags, bytes) ==
                   __builtin_offsetof(struct flags, generation) + sizeof(u32),
               "the bytes follow the generation");

struct use {
  napi_env env;
  napi_value text;
};

static void make_string(const char *text, u32 bytes, void *with) {
  struct use *use = with;
  napi_create_string_utf8(use->env, text, bytes, &use->text);
}

/* The generation of the head that the thread has. */
static __thread u32 wished;

static napi_value on_wishes(napi_env env, napi_callback_info info) {
  (void)info;
  struct use use = {env, 0};
  wished = wishes_use(make_string, &use);
  return use.text;
}

static napi_value on_wishes_at(napi_env env, napi_callback_info info) {
  napi_value both[2];
  u32 start = 0, bytes = 0;
  arguments(env, info, 2, both);
  napi_get_value_uint32(env, both[0], &start);
  napi_get_value_uint32(env, both[1], &bytes);
  struct use use = {env, 0};
  wishes_use_part(wished, start, bytes, make_string, &use);
  return use.text;
}

static char *text_of(napi_env env, napi_value value, u32 *bytes) {
  size_t length = 0;
  if (napi_get_value_string_utf8(env, value, 0, 0, &length) != napi_ok) return 0;
  char *text = malloc(length + 1);
  if (text) napi_get_value_string_utf8(env, value, text, length + 1, &length);
  *bytes = (u32)length;
  return text;
}

static napi_value string_of(napi_env env, char *text, u32 bytes) {
  napi_value value = 0;
  if (text) napi_create_string_utf8(env, text, bytes, &value);
  free(text);
  return value;
}

static napi_value on_ask(napi_env env, napi_callback_info info) {
  napi_value request;
  u32 bytes = 0, answer_bytes = 0;
  char *text = text_of(env, arguments(env, info, 1, &request), &bytes);
  char *answer = text ? ask(text, bytes, &answer_bytes) : 0;
  free(text);
  return string_of(env, answer, answer_bytes);
}

static napi_value on_kept_answer(napi_env env, napi_callback_info info) {
  napi_value both[2];
  u32 head_bytes = 0, text_bytes = 0, answer_bytes = 0;
  arguments(env, info, 2, both);
  char *head = text_of(env, both[0], &head_bytes), *text = text_of(env, both[1], &text_bytes);
  char *answer = head && text ? kept_answer(head, head_bytes, text, text_bytes, &answer_bytes) : 0;
  free(head);
  free(text);
  return string_of(env, answer, answer_bytes);
}

static napi_value on_is_live(napi_env env, napi_callback_info info) {
  napi_value is_live = 0;
  (void)info;
  napi_get_boolean(env, entered.is_live, &is_live);
  return is_live;
}

/* Calls a function of the preload; its head says how deep the stack was then, which code that is
 * optimised in between would move. */
static napi_value on_framed(napi_env env, napi_callback_info info) {
  napi_value values[4], function, global, result = 0;
  size_t count = 4;
  void *data;
  napi_get_cb_info(env, info, &count, values, 0, &data);
  u64 frame = (u64)__builtin_frame_address(0);
  struct room *room = data;
  memcpy(&room->head[NODE_HEAD_FRAME], &frame, sizeof frame);
  napi_get_reference_value(env, room->framed, &function);
  napi_get_global(env, &global);
  napi_call_function(env, global, function, count, values, &result);
  return result;
}

static napi_value on_frame(napi_env env, napi_callback_info info) {
  napi_value function, framed = 0;
  void *data;
  size_t count = 1;
  napi_get_cb_info(env, info, &count, &function, 0, &data);
  struct room *room = data;
  napi_create_reference(env, function, 1, &room->framed);
  napi_create_function(env, "$strobe", NAPI_AUTO_LENGTH, on_framed, room, &framed);
  return framed;
}

static napi_value on_keep(napi_env env, napi_callback_info info) {
  napi_value both[2];
  u32 bytes = 0, key_bytes = 0;
  arguments(env, info, 2, both);
  char *key = text_of(env, both[0], &key_bytes), *text = text_of(env, both[1], &bytes);
  if (key && text) kept_put(key, text, bytes);
  free(key);
  free(text);
  return 0;
}

static napi_value on_take(napi_env env, napi_callback_info info) {
  napi_value value;
  u32 bytes = 0, key_bytes = 0;
  char *key = text_of(env, arguments(env, info, 1, &value), &key_bytes);
  char *text = key ? kept_take(key, &bytes) : 0;
  free(key);
  return string_of(env, text, bytes);
}

/* The state is the result of the room, what it was settled with is returned. */
static napi_value on_promise(napi_env env, napi_callback_info info) {
  napi_value promise, settled = 0;
  void *data;
  size_t count = 1;
  napi_get_cb_info(env, info, &count, &promise, 0, &data);
  struct room *room = data;
  room->head[NODE_HEAD_RESULT] = promise_look(promise, &settled);
  return settled;
}

static napi_value on_hold(napi_env env, napi_callback_info info) {
  napi_value lines;
  u32 bytes = 0;
  char *text = text_of(env, arguments(env, info, 1, &lines), &bytes);
  if (text) printed_hold(text, bytes);
  return 0;
}

static napi_value on_keep_coverage(napi_env env, napi_callback_info info) {
  napi_value both[2];
  u32 bytes = 0;
  arguments(env, info, 2, both);
  char *folder = text_of(env, both[0], &bytes), *name = text_of(env, both[1], &bytes);
  if (folder && name) coverage_keep(folder, name);
  free(folder);
  free(name);
  return 0;
}

static napi_value on_note(napi_env env, napi_callback_info info) {
  napi_value both[2];
  u32 bytes = 0;
  bool lasts = false;
  char *line = text_of(env, arguments(env, info, 2, both), &bytes);
  napi_get_value_bool(env, both[1], &lasts);
  if (line) notes_write(line, bytes, lasts);
  free(line);
  return 0;
}

static void put_text(napi_env env, napi_value in, const char *name, const char *text) {
  napi_value value;
  if (napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value) == napi_ok)
    napi_set_named_property(env, in, name, value);
}

static void put_function(napi_env env, napi_value in, const char *name, napi_callback callback,
                         void *data) {
  napi_value function;
  if (napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, data, &function) == napi_ok)
    napi_set_named_property(env, in, name, function);
}

EXPORT int32_t node_api_module_get_api_version_v1(void) { return 8; }

EXPORT napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value buffer;
  if (!entered.times) alone_begin();
  struct room *room = entered.times ? calloc(1, sizeof *room) : 0;
  if (!room) return exports;
  if (napi_create_external_arraybuffer(env, room, sizeof *room, free_room, 0, &buffer) != napi_ok) {
    free(room);
    return exports;
  }
  napi_set_named_property(env, exports, "room", buffer);
  own = room;
  pauses_begin(env);
  __atomic_store_n(&entered.has_preload, 1, __ATOMIC_RELEASE);
  put_function(env, exports, "act", on_act, room);
  put_function(env, exports, "enter", on_enter, 0);
  put_function(env, exports, "return", on_return, 0);
  put_function(env, exports, "flags", on_flags, 0);
  put_function(env, exports, "wishes", on_wishes, 0);
  put_function(env, exports, "wishesAt", on_wishes_at, 0);
  put_function(env, exports, "ask", on_ask, 0);
  put_function(env, exports, "keptAnswer", on_kept_answer, 0);
  put_function(env, exports, "keep", on_keep, 0);
  put_function(env, exports, "take", on_take, 0);
  put_function(env, exports, "promise", on_promise, room);
  put_function(env, exports, "hold", on_hold, 0);
  put_function(env, exports, "keepCoverage", on_keep_coverage, 0);
  put_function(env, exports, "note", on_note, 0);
  put_function(env, exports, "isLive", on_is_live, 0);
  put_function(env, exports, "frame", on_frame, room);
  put_text(env, exports, "root", entered.root);
  if (entered.has_options) put_text(env, exports, "options", entered.options);
  return exports;
}
