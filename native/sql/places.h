/* Where in a function's captures a value lies, and how it is read (src/db/sql/valuePlaces.ts). */
#ifndef STROBE_SQL_PLACES_H
#define STROBE_SQL_PLACES_H

#include "captures.h"
#include "cells.h"

enum form {
  NOT_ASKED = 0,
  /* No call has a value. */
  NO_VALUE = '-',
  /* All calls have the same. */
  ONE_VALUE = '=',
  /* Each call is to be asked. */
  ANY_VALUE = '?',
  INT_8 = 'a',
  UINT_8,
  INT_16,
  UINT_16,
  INT_32,
  UINT_32,
  INT_64,
  UINT_64,
  BOOL_8 = 'B',
  FLOAT_32 = 'F',
  FLOAT_64 = 'D',
  POINTER = 'P',
  /* 64 bits without a type. */
  UNKNOWN_64 = 'U',
  CHARACTERS = 'T',
  /* It describes itself. */
  DYNAMIC = 'V',
  /* What so many bytes mean is known when it is asked for. */
  BY_WORD_8 = 'm',
  BY_WORD_16,
  BY_WORD_32,
  BY_WORD_64,
};

#define MOST_BEFORE 64

struct place {
  uint8_t form, before;
  /* Which of the values before it have a length of their own, a bit each. */
  uint64_t are_long;
};

static inline bool is_captured(const struct place *place) { return place->form >= 'A'; }
/* Reads a place as it is written: the form, then `l` or `s` for each value before. */
struct place place_read(const char *written);
/* The value there in the i-th capture. */
int place_cell(const struct place *place, const struct captured *captured, uint32_t i,
               struct texts *texts, struct cell *cell);
/* Whether the value is two words that lie at the same place in all captures. */
bool place_is_fixed(const struct place *place);
struct cell place_number(enum form form, uint32_t low, uint32_t high);

#endif
