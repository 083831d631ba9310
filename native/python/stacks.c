/* A note: thread · what it waits for · who holds that · frames, parted by FIELD. A frame is
 * function, line and file, parted by PART; the newest comes first. */
#include "stacks.h"
#include "engine.h"
#include "lines.h"
#include "notes.h"

#include <string.h>

#define FIELD "\x1f"
#define PART "\x1e"
enum { MOST_BYTES = 8000, MOST_THREADS = 64, MOST_FRAMES = 40, MOST_LINKS = 2000 };
enum { MOST_TEXT = 200, MOST_SLOTS = 64, MOST_LOCKS = 8 };
/* Of glibc's struct pthread: the number of the thread. */
enum { PTHREAD_TID = 0x2d0 };
/* Of a bound C function: what it is bound to, behind its definition. */
enum { BOUND_TO = 8 };
/* Of threading.RLock: who owns it. */
enum { RLOCK_OWNER = 24 };

struct line {
  char text[MOST_BYTES];
  size_t length;
};

struct thread {
  u64 state, pthread, tid;
  u64 held[MOST_LOCKS]; /* locks of `with` statements that it is in */
  u32 held_count;
};

/* The heap may be broken where this runs, and the stack small. */
static struct line line;
static struct thread threads[MOST_THREADS];
static u32 thread_count;

static u64 word_at(u64 address) {
  u64 word = 0;
  return engine.read(&word, address, sizeof word) == sizeof word ? word : 0;
}

#define MEMBER(address, name) word_at((address) + (u64)offsets.name)

static u32 int_at(u64 address) {
  u32 number = 0;
  return engine.read(&number, address, sizeof number) == sizeof number ? number : 0;
}

static void put(const char *text, size_t length) {
  if (length > sizeof line.text - 1 - line.length) length = sizeof line.text - 1 - line.length;
  for (size_t i = 0; i < length; i++)
    line.text[line.length++] =
        text[i] < ' ' && text[i] >= 0 && text[i] != 0x1e && text[i] != 0x1f ? ' ' : text[i];
  line.text[line.length] = 0;
}

static void put_string(const char *text) { put(text, strlen(text)); }

static void put_number(u64 number) {
  char digits[24];
  u32 at = sizeof digits;
  do digits[--at] = (char)('0' + number % 10);
  while (number /= 10);
  put(digits + at, sizeof digits - at);
}

/* Latin-1, of which what is no ASCII becomes a question mark, as wider texts do. */
static void put_text(u64 text) {
  char bytes[MOST_TEXT];
  enum { KIND_SHIFT = 2, KIND_MASK = 7, IS_ASCII = 1 << 6 };
  u32 state = int_at(text + (u64)offsets.text_state);
  u64 length = MEMBER(text, text_length);
  if (length > sizeof bytes) length = sizeof bytes;
  u32 kind = state >> KIND_SHIFT & KIND_MASK;
  u64 from = text + (u64)(state & IS_ASCII ? offsets.text_ascii_bytes : offsets.text_compact_bytes);
  if (kind != 1 || engine.read(bytes, from, (u32)length) != length) {
    put_string("?");
    return;
  }
  for (u64 i = 0; i < length; i++)
    if (bytes[i] < 0) bytes[i] = '?';
  put(bytes, length);
}

/* ── frames ── */

static u64 first_frame(u64 state) {
  if (offsets.thread_cframe != NO_MEMBER) {
    state = MEMBER(state, thread_cframe);
    if (!state) return 0;
  }
  return MEMBER(state, thread_frame);
}

static u64 frame_before(u64 frame) {
  return offsets.frame_previous != NO_MEMBER ? MEMBER(frame, frame_previous)
                                             : MEMBER(frame, frame_object_back);
}

/* 0 for a frame that enters the interpreter. */
static u64 code_of(u64 frame) {
  u64 code = MEMBER(frame, frame_code) & ~3ul;
  return code && MEMBER(code, ob_type) == (u64)python.PyCode_Type ? code : 0;
}

/* In bytes from the first instruction. */
static u32 instruction_of(u64 frame, u64 code) {
  if (offsets.co_code == NO_MEMBER) {
    u32 last = int_at(frame + (u64)offsets.frame_instruction);
    return python.minor == 10 ? 2 * last : last;
  }
  u64 at = MEMBER(frame, frame_instruction), begin = code + (u64)offsets.co_code;
  return at >= begin && at - begin < 1u << 28 ? (u32)(at - begin) : 0;
}

static void put_frame(u64 frame, u64 code) {
  u64 name = offsets.co_qualname != NO_MEMBER ? MEMBER(code, co_qualname) : MEMBER(code, co_name);
  put_string(FIELD);
  put_text(name);
  put_string(PART);
  put_number(lines_find(code, instruction_of(frame, code)));
  put_string(PART);
  put_text(MEMBER(code, co_filename));
}

static void put_frames(u64 state) {
  u64 frame = first_frame(state);
  u32 shown = 0;
  for (u32 i = 0; frame && i < MOST_LINKS && shown < MOST_FRAMES; i++) {
    u64 code = code_of(frame);
    if (code) {
      put_frame(frame, code);
      shown++;
    }
    frame = frame_before(frame);
  }
}

/* ── locks ── */

static int type_is(u64 object, const char *name) {
  char found[24];
  u64 type = object ? MEMBER(object, ob_type) : 0, at = type ? MEMBER(type, tp_name) : 0;
  size_t length = strlen(name) + 1;
  return at && engine.read(found, at, (u32)length) == length && !memcmp(found, name, length);
}

static int is_recursive(u64 object) { return type_is(object, "_thread.RLock"); }

static int is_lock(u64 object) { return type_is(object, "_thread.lock") || is_recursive(object); }

/* A method of C that is bound to a lock, by its name; 0: it is none. */
static u64 lock_of_method(u64 object, const char *name) {
  char found[16];
  if (!object || MEMBER(object, ob_type) != (u64)python.PyCFunction_Type) return 0;
  u64 definition = MEMBER(object, builtin_definition), at = definition ? word_at(definition) : 0;
  size_t length = strlen(name) + 1;
  if (!at || engine.read(found, at, (u32)length) != length || memcmp(found, name, length)) return 0;
  u64 bound = word_at(object + (u64)offsets.builtin_definition + BOUND_TO);
  return is_lock(bound) ? bound : 0;
}

/* What the frame works with: behind its variables. */
static u32 slots_of(u64 frame, u64 code, u64 *slots) {
  u64 names = MEMBER(code, co_names_of_locals);
  u64 before = names ? MEMBER(names, ob_size) : 0;
  u32 count = int_at(code + (u64)offsets.co_stacksize);
  if (count > MOST_SLOTS) count = MOST_SLOTS;
  if (before > 10000) return 0;
  if (offsets.co_cellvars != NO_MEMBER) {
    u64 cells = MEMBER(code, co_cellvars), free = MEMBER(code, co_freevars);
    before += (cells ? MEMBER(cells, ob_size) : 0) + (free ? MEMBER(free, ob_size) : 0);
  }
  u64 from = frame + (u64)offsets.frame_locals + 8 * before;
  return engine.read(slots, from, count * 8) / 8;
}

/* A `with` statement keeps the way out of its lock. */
static void see_held(struct thread *thread) {
  u64 frame = first_frame(thread->state), slots[MOST_SLOTS];
  for (u32 i = 0; frame && i < MOST_FRAMES; i++, frame = frame_before(frame)) {
    u64 code = code_of(frame);
    u32 count = code ? slots_of(frame, code, slots) : 0;
    for (u32 at = 0; at < count && thread->held_count < MOST_LOCKS; at++) {
      u64 lock = lock_of_method(slots[at] & ~3ul, "__exit__");
      if (lock) thread->held[thread->held_count++] = lock;
    }
  }
}

/* The lock that the newest frame asks for. */
static u64 wanted_by(const struct thread *thread) {
  u64 frame = first_frame(thread->state), slots[MOST_SLOTS];
  while (frame && !code_of(frame)) frame = frame_before(frame);
  u32 count = frame ? slots_of(frame, code_of(frame), slots) : 0;
  for (u32 at = count; at > 0; at--) {
    u64 object = slots[at - 1] & ~3ul;
    if (is_lock(object)) return object;
    u64 lock = lock_of_method(object, "acquire");
    if (lock) return lock;
  }
  return 0;
}

static u64 owner_of(u64 lock, const struct thread *asking) {
  u64 owner = is_recursive(lock) ? word_at(lock + RLOCK_OWNER) : 0;
  for (u32 i = 0; i < thread_count; i++) {
    const struct thread *one = &threads[i];
    if (one == asking) continue;
    if (owner && one->pthread == owner) return one->tid;
    for (u32 at = 0; at < one->held_count; at++)
      if (one->held[at] == lock) return one->tid;
  }
  return 0;
}

/* ── threads ── */

static u64 tid_of(u64 state, u64 pthread) {
  if (offsets.thread_native_id != NO_MEMBER) return MEMBER(state, thread_native_id);
  return pthread ? int_at(pthread + PTHREAD_TID) : 0;
}

static void find_threads(void) {
  thread_count = 0;
  u64 state = (u64)python.PyInterpreterState_ThreadHead(python.PyInterpreterState_Head());
  for (; state && thread_count < MOST_THREADS; state = MEMBER(state, thread_next)) {
    u64 pthread = MEMBER(state, thread_id);
    struct thread *one = &threads[thread_count++];
    *one = (struct thread){.state = state, .pthread = pthread, .tid = tid_of(state, pthread)};
    see_held(one);
  }
}

void stacks_note(const char *word) {
  find_threads();
  for (u32 i = 0; i < thread_count; i++) {
    u64 lock = wanted_by(&threads[i]);
    line.length = 0;
    put_number(threads[i].tid);
    put_string(FIELD);
    put_number(lock);
    put_string(FIELD);
    put_number(lock ? owner_of(lock, &threads[i]) : 0);
    put_frames(threads[i].state);
    notes_write(word, line.text);
  }
}
