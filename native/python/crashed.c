#include "crashed.h"
#include "engine.h"
#include "line.h"
#include "moment.h"
#include "notes.h"

#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_FRAMES = 64, MOST_TEXT = 400 };
/* Of `frame_owner`: frames of the interpreter's own C stack begin here. */
enum { FIRST_OWN = 3 };
/* Of a text's state. */
enum { IS_COMPACT = 1 << 5, IS_ASCII = 1 << 6 };

/* Zero where it cannot be read. */
static u64 word_at(u64 from, int offset) {
  u64 word = 0;
  return from && engine.read(&word, from + (u64)offset, sizeof word) == sizeof word ? word : 0;
}

static int int_at(u64 from, int offset) {
  int number = 0;
  return engine.read(&number, from + (u64)offset, sizeof number) == sizeof number ? number : 0;
}

static void say_ascii(struct line *line, u64 text) {
  static char bytes[MOST_TEXT + 1];
  u32 state = (u32)int_at(text, offsets.text_state), kind = IS_COMPACT | IS_ASCII;
  u64 length = word_at(text, offsets.text_length);
  if ((state & kind) != kind || !length) {
    say(line, "?");
    return;
  }
  u32 wanted = length < MOST_TEXT ? (u32)length : MOST_TEXT;
  bytes[engine.read(bytes, text + (u64)offsets.text_ascii_bytes, wanted)] = 0;
  say_text(line, bytes, MOST_TEXT);
}

/* Where in its code a frame is, in bytes. */
static int place_in(u64 frame, u64 code) {
  if (offsets.co_code == NO_MEMBER)
    return int_at(frame, offsets.frame_instruction) * (python.minor == 10 ? 2 : 1);
  return (int)(word_at(frame, offsets.frame_instruction) - (code + (u64)offsets.co_code));
}

static void say_frame(struct line *line, u64 frame) {
  u8 owner = 0;
  if (offsets.frame_owner != NO_MEMBER)
    engine.read(&owner, frame + (u64)offsets.frame_owner, sizeof owner);
  u64 code = word_at(frame, offsets.frame_code) & ~3ul;
  if (owner >= FIRST_OWN || word_at(code, offsets.ob_type) != (u64)python.PyCode_Type) return;
  int named = offsets.co_qualname == NO_MEMBER ? offsets.co_name : offsets.co_qualname;
  say(line, FIELD);
  say_ascii(line, word_at(code, named));
  say(line, PART "%d" PART, python.PyCode_Addr2Line((object *)code, place_in(frame, code)));
  say_ascii(line, word_at(code, offsets.co_filename));
}

void crashed_note(void) {
  static struct line line;
  u64 thread = (u64)python.PyGILState_GetThisThreadState();
  if (!thread) return;
  u64 from = offsets.thread_cframe == NO_MEMBER ? thread : word_at(thread, offsets.thread_cframe);
  int back =
      offsets.frame_previous == NO_MEMBER ? offsets.frame_object_back : offsets.frame_previous;
  line.length = 0;
  say(&line, "%d" FIELD "%ld" EXCEPTION FIELD FIELD, getpid(), syscall(SYS_gettid));
  u64 frame = word_at(from, offsets.thread_frame);
  for (u32 i = 0; frame && i < MOST_FRAMES; i++, frame = word_at(frame, back))
    say_frame(&line, frame);
  notes_write(NOTE_CRASHED, line.text);
}
