#include "dates.h"

#include <stdio.h>
#include <string.h>

/* NPY_DATETIMEUNIT; 3 was business days. */
enum { YEARS, MONTHS, WEEKS, DAYS = 4, HOURS, MINUTES, SECONDS, ATTOSECONDS = 13, NO_UNIT };
#define NOT_A_TIME INT64_MIN

static const char *const names[] = {
    "years",
    "months",
    "weeks",
    "",
    "days",
    "hours",
    "minutes",
    "seconds",
    "milliseconds",
    "microseconds",
    "nanoseconds",
    "picoseconds",
    "femtoseconds",
    "attoseconds",
    "generic time units",
};

static size_t not_a_time(char *text) {
  memcpy(text, "NaT", 4);
  return 3;
}

static size_t length_of(int written) {
  return written < 0 ? 0 : written < MOST_DATE_BYTES ? (size_t)written : MOST_DATE_BYTES - 1;
}

size_t duration_text(int64_t number, struct date_unit unit, char text[MOST_DATE_BYTES]) {
  if (number == NOT_A_TIME) return not_a_time(text);
  if (unit.unit < YEARS || unit.unit > NO_UNIT) return 0;
  long long total = (long long)((u64)number * (u64)unit.count);
  return length_of(snprintf(text, MOST_DATE_BYTES, "%lld %s", total, names[unit.unit]));
}

/* Of the proleptic Gregorian calendar, by the number of days since 1970. */
static size_t day_text(int64_t days, char *text) {
  enum { ERA_DAYS = 146097, TO_1970 = 719468 };
  int64_t from = days + TO_1970, era = (from >= 0 ? from : from - (ERA_DAYS - 1)) / ERA_DAYS;
  int64_t day = from - era * ERA_DAYS;
  int64_t year = (day - day / 1460 + day / 36524 - day / (ERA_DAYS - 1)) / 365;
  int64_t of_year = day - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
  long long shown = (long long)(year + era * 400 + (month >= 10));
  return length_of(snprintf(text, MOST_DATE_BYTES, "%04lld-%02d-%02d", shown,
                            (int)(month < 10 ? month + 3 : month - 9),
                            (int)(of_year - (153 * month + 2) / 5 + 1)));
}

static int64_t floored(__int128 number, __int128 by, __int128 *rest) {
  *rest = number % by;
  if (*rest < 0) *rest += by;
  return (int64_t)((number - *rest) / by);
}

/* `T10:30:00.500`, as far as the unit tells it; a fraction of zeros is left out. */
static size_t clock_text(__int128 part, int unit, __int128 second, char *text, size_t room) {
  int seconds = (int)(part / second), written;
  if (unit == HOURS) written = snprintf(text, room, "T%02d", seconds / 3600);
  else if (unit == MINUTES)
    written = snprintf(text, room, "T%02d:%02d", seconds / 3600, seconds / 60 % 60);
  else {
    written =
        snprintf(text, room, "T%02d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if (part % second && written > 0 && (size_t)written < room)
      written += snprintf(text + written, room - (size_t)written, ".%0*lld", 3 * (unit - SECONDS),
                          (long long)(part % second));
  }
  return length_of(written);
}

size_t date_text(int64_t number, struct date_unit unit, char text[MOST_DATE_BYTES]) {
  if (number == NOT_A_TIME) return not_a_time(text);
  if (unit.unit < YEARS || unit.unit > ATTOSECONDS) return duration_text(number, unit, text);
  __int128 total = (__int128)number * unit.count, rest, second = 1, day = 1;
  if (unit.unit <= MONTHS) {
    int64_t years = unit.unit == YEARS ? (int64_t)total : floored(total, 12, &rest);
    int written = unit.unit == YEARS ? snprintf(text, MOST_DATE_BYTES, "%04lld", years + 1970LL)
                                     : snprintf(text, MOST_DATE_BYTES, "%04lld-%02d",
                                                years + 1970LL, (int)rest + 1);
    return length_of(written);
  }
  if (unit.unit == WEEKS) return day_text((int64_t)(total * 7), text);
  if (unit.unit == DAYS) return day_text((int64_t)total, text);
  if (unit.unit == HOURS) total *= 3600;
  else if (unit.unit == MINUTES) total *= 60;
  for (int i = SECONDS; i < unit.unit; i++) second *= 1000;
  day = second * 86400;
  size_t length = day_text(floored(total, day, &rest), text);
  return length + clock_text(rest, unit.unit, second, text + length, MOST_DATE_BYTES - length);
}
