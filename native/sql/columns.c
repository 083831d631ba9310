#include "columns.h"

static const struct column call_columns[] = {
    {"id", CALL_ID},
    {"parent_id", PARENT_ID},
    {"function_name", FUNCTION_NAME},
    {"signature", FUNCTION_SIGNATURE},
    {"module", FUNCTION_MODULE},
    {"source_file", FUNCTION_FILE},
    {"line_number", FUNCTION_LINE},
    {"thread_id", THREAD_ID},
    {"thread_name", THREAD_NAME},
    {"pid", PROCESS_ID},
    {"depth", CALL_DEPTH},
    {"timestamp_ns", TIMESTAMP},
    {"duration_ns", CALL_DURATION},
    {"end", CALL_END},
    {"arguments", ARGUMENTS},
    {"return_value", RETURN_VALUE},
    {"watch_values", WATCH_VALUES},
    {"function_pattern", PATTERN},
    {"time_from_ns", TIME_FROM},
    {"time_to_ns", TIME_TO},
    {"timestamp_us", TIMESTAMP_US},
    {"timestamp_ms", TIMESTAMP_MS},
    {"timestamp_s", TIMESTAMP_S},
    {"duration_us", DURATION_US},
    {"duration_ms", DURATION_MS},
    {"argument_0", ARGUMENT},
    {"argument_1", ARGUMENT + 1},
    {"argument_2", ARGUMENT + 2},
    {"argument_3", ARGUMENT + 3},
    {"argument_4", ARGUMENT + 4},
    {"argument_5", ARGUMENT + 5},
    {"argument_6", ARGUMENT + 6},
    {"argument_7", ARGUMENT + 7},
    {"return_number", RETURN_NUMBER},
    {"suspended_ns", SUSPENDED},
    {"strand", STRAND},
    {"exception", EXCEPTION},
    {"function_name_raw", FUNCTION_LINKAGE},
};

static const struct column event_columns[] = {
    {"id", CALL_ID},
    {"event_type", EVENT_TYPE},
    {"timestamp_ns", TIMESTAMP},
    {"duration_ns", CALL_DURATION},
    {"pid", PROCESS_ID},
    {"thread_id", THREAD_ID},
    {"thread_name", THREAD_NAME},
    {"parent_event_id", PARENT_ID},
    {"function_name", FUNCTION_NAME},
    {"function_name_raw", FUNCTION_LINKAGE},
    {"source_file", FUNCTION_FILE},
    {"line_number", FUNCTION_LINE},
    {"text", EVENT_TEXT},
    {"arguments", ARGUMENTS},
    {"return_value", RETURN_VALUE},
    {"watch_values", WATCH_VALUES},
    {"function_pattern", PATTERN},
    {"time_from_ns", TIME_FROM},
    {"time_to_ns", TIME_TO},
};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))
const struct table_kind calls_kind = {call_columns, COUNT(call_columns), false};
const struct table_kind events_kind = {event_columns, COUNT(event_columns), true};

bool is_hidden(const struct table_kind *kind, enum what what) {
  if (what == FUNCTION_LINKAGE) return !kind->has_others;
  return what >= PATTERN || number_of(what).divisor > 1;
}

bool is_of_function(enum what what) { return what >= FUNCTION_NAME && what <= FUNCTION_LINKAGE; }
bool is_by_function(enum what what) { return is_of_function(what) || what == FUNCTION_LINE; }
bool is_of_thread(enum what what) { return what >= THREAD_NAME && what <= PROCESS_ID; }

const struct number column_numbers[WHATS] = {
    [PARENT_ID] = {UP, 1},
    [CALL_DEPTH] = {DEPTH, 1},
    [TIMESTAMP] = {START, 1},
    [TIMESTAMP_US] = {START, 1000},
    [TIMESTAMP_MS] = {START, 1000000},
    [TIMESTAMP_S] = {START, 1000000000},
    [CALL_DURATION] = {DURATION, 1},
    [DURATION_US] = {DURATION, 1000},
    [DURATION_MS] = {DURATION, 1000000},
    [CALL_END] = {END, 1},
};

const char *end_name(int64_t stored) {
  static const char *const names[END_NAMES] = {"open", "returned", "unwound", "jumped",
                                               "tail", "lost",     "unseen"};
  int64_t end = stored & END_MASK;
  return names[end < END_NAMES ? end : END_NAMES - 1];
}

const struct text *text_of(enum what what, const struct function *function,
                           const struct thread *thread) {
  static const enum function_text texts[] = {NAME, SIGNATURE, MODULE, SOURCE_FILE, LINKAGE_NAME};
  return what == THREAD_NAME ? &thread->name : &function->texts[texts[what - FUNCTION_NAME]];
}

bool is_whole(enum what what) {
  if (what == FUNCTION_LINE || what == THREAD_ID || what == PROCESS_ID || what == SUSPENDED)
    return true;
  return number_of(what).divisor > 0 && number_of(what).column != UP && what != CALL_END;
}
