/* Moments and times of numpy, counted in units of their type, written as numpy does. */
#ifndef STROBE_PYTHON_DATES_H
#define STROBE_PYTHON_DATES_H

#include "api.h"

/* PyArray_DatetimeMetaData: a number of NPY_DATETIMEUNIT, and how many of that unit are one. */
struct date_unit {
  int unit, count;
};

enum { MOST_DATE_BYTES = 64 };

/* `2026-05-03T10:00`, without a fraction of zeros; returns its length. */
size_t date_text(int64_t number, struct date_unit unit, char text[MOST_DATE_BYTES]);
/* `5 days` */
size_t duration_text(int64_t number, struct date_unit unit, char text[MOST_DATE_BYTES]);

#endif
