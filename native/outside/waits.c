/* See waits.h. */
#include "waits.h"
#include "../stopper/memory.h"
#include "block.h"
#include "target/area.h"
#include <string.h>

#define MOST_TEXT 48
/* Numbers of functions that no program uses here (record.ts, maxTaps). */
#define FIRST_NUMBER (RECORD_MAX_FUNCTIONS - WAIT_COUNT)

static u8 code_of(u64 text, u64 length) {
  static const char *const known[] = PARK_REASONS;
  char name[MOST_TEXT] = {0};
  if (!length || length >= sizeof name || memory_read(text, name, (u32)length) != length)
    return PARK_OTHER;
  for (u8 code = 0; code < sizeof known / sizeof *known; code++)
    if (strcmp(name, known[code]) == 0) return code;
  return PARK_OTHER;
}

static void tell_reasons(const struct image *image) {
  u64 texts[2 * MOST_REASONS] = {0};
  u8 codes[MOST_REASONS] = {0};
  u64 bytes = image->reasons_bytes < sizeof texts ? image->reasons_bytes : sizeof texts;
  if (image->reasons) memory_read(image->reasons, texts, (u32)bytes);
  for (u32 i = 0; i < MOST_REASONS; i++) codes[i] = code_of(texts[2 * i], texts[2 * i + 1]);
  block_reasons(codes, MOST_REASONS);
}

/* Between which addresses frames of runtime.gopanic and runtime.cgocall return. */
static void tell_callers(const struct image *image) {
  struct function function;
  u64 panic = image->waits[WAIT_PANIC], call = image->waits[WAIT_CALLS_C];
  if (panic && image_function(image, panic, 0, &function)) block_panics(panic, function.end);
  if (call && image_function(image, call, 0, &function)) block_calls_of_c(call, function.end);
}

/* In the order of image.c. */
static const u8 flags[WAIT_COUNT] = {
    ARM_PARKS,
    ARM_PARKS | ARM_CALLS_SYSTEM,
    ARM_PARKS | ARM_CALLS_SYSTEM,
    ARM_PARKS | ARM_LEAVES_CALLS | ARM_RAISES,
    ARM_PARKS | ARM_LEAVES_CALLS,
    ARM_PARKS | ARM_RECOVERS,
    ARM_PARKS | ARM_ENDS,
    ARM_PARKS | ARM_LEAVES_C,
    ARM_PARKS | ARM_CALLS_C,
};

u32 waits_rows(const struct image *image, u8 *rows) {
  if (!image->is_go) return 0;
  tell_reasons(image);
  for (u32 i = 0; i < WAIT_COUNT; i++) {
    u8 *row = rows + i * ARM_BYTES;
    memset(row, 0, ARM_BYTES);
    *(u64 *)(row + ARM_ADDRESS) = image->waits[i];
    *(u32 *)(row + ARM_FN) = FIRST_NUMBER + i;
    row[ARM_FLAGS] = flags[i];
  }
  tell_callers(image);
  return WAIT_COUNT;
}
