#include "results.h"

int result_capture(struct capture *capture, const struct operand *result, u32 most_words) {
  if (result->from) capture_within(capture, result->from, most_words);
  else if (result->kind == NUMBER && result->number == (int64_t)result->number)
    capture_number(capture, (int64_t)result->number);
  else if (result->kind == DECIMAL) capture_decimal(capture, result->decimal);
  else return 0;
  return 1;
}
