/* Up to 3.9: pairs of a step in bytes and a step in lines (Objects/lnotab_notes.txt). 3.10: the
 * same, of ranges (PEP 626). From 3.11 on: entries of a length and a step in lines, with columns
 * (InternalDocs/code_objects.md). */
#include "lines.h"
#include "engine.h"

enum { MOST_TABLE = 1 << 16, CHUNK = 256 };

/* Bytes of a table that may not be there. */
struct table {
  u64 address;
  u32 length, at, held;
  u8 bytes[CHUNK];
};

/* -1: it is over. */
static int next(struct table *table) {
  if (table->at >= table->length) return -1;
  u32 in_chunk = table->at % CHUNK;
  if (in_chunk == 0) {
    u32 left = table->length - table->at;
    table->held =
        engine.read(table->bytes, table->address + table->at, left < CHUNK ? left : CHUNK);
  }
  table->at++;
  return in_chunk < table->held ? table->bytes[in_chunk] : -1;
}

static int open_table(struct table *table, u64 code) {
  u64 object = 0, length = 0;
  if (engine.read(&object, code + (u64)offsets.co_lines, 8) != 8 || !object) return 0;
  if (engine.read(&length, object + (u64)offsets.ob_size, 8) != 8 || length > MOST_TABLE) return 0;
  *table = (struct table){.address = object + (u64)offsets.bytes_value, .length = (u32)length};
  return 1;
}

static u32 in_pairs(struct table *table, u32 line, u32 instruction) {
  u32 at = 0;
  for (;;) {
    int bytes = next(table), step = next(table);
    if (bytes < 0 || step < 0) return line;
    at += (u32)bytes;
    if (at > instruction) return line;
    line += (u32)(int8_t)step;
  }
}

static u32 in_ranges(struct table *table, u32 line, u32 instruction) {
  enum { NO_LINE = -128 };
  u32 at = 0;
  for (;;) {
    int bytes = next(table), step = next(table);
    if (bytes < 0 || step < 0) return 0;
    int8_t lines = (int8_t)step;
    if (lines != NO_LINE) line += (u32)lines;
    at += (u32)bytes;
    if (instruction < at) return lines == NO_LINE ? 0 : line;
  }
}

static u32 number(struct table *table) {
  u32 value = 0;
  for (u32 shift = 0; shift < 32; shift += 6) {
    int byte = next(table);
    if (byte < 0) return 0;
    value |= (u32)(byte & 63) << shift;
    if (!(byte & 64)) break;
  }
  return value;
}

static int signed_number(struct table *table) {
  u32 value = number(table);
  return value & 1 ? -(int)(value >> 1) : (int)(value >> 1);
}

/* Reads what is behind the first byte of an entry; returns the step in lines. */
static int step_of(struct table *table, u32 kind) {
  enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14 };
  int step = 0;
  if (kind < ONE_LINE) next(table);
  else if (kind < NO_COLUMNS) {
    step = (int)kind - ONE_LINE;
    next(table);
    next(table);
  } else if (kind == NO_COLUMNS) step = signed_number(table);
  else if (kind == LONG) {
    step = signed_number(table);
    number(table);
    number(table);
    number(table);
  }
  return step;
}

static u32 in_entries(struct table *table, u32 line, u32 instruction) {
  enum { NO_PLACE = 15, UNIT = 2 };
  u32 at = 0;
  for (;;) {
    int first = next(table);
    if (first < 0 || !(first & 0x80)) return 0;
    u32 kind = (u32)first >> 3 & 15;
    line += (u32)step_of(table, kind);
    at += UNIT * (((u32)first & 7) + 1);
    if (instruction < at) return kind == NO_PLACE ? 0 : line;
  }
}

u32 lines_find(u64 code, u32 instruction) {
  struct table table;
  u32 line = 0;
  engine.read(&line, code + (u64)offsets.co_firstlineno, sizeof line);
  if (!open_table(&table, code)) return line;
  u32 found = python.minor >= 11   ? in_entries(&table, line, instruction)
              : python.minor == 10 ? in_ranges(&table, line, instruction)
                                   : in_pairs(&table, line, instruction);
  return found ? found : line;
}
