/* A Node addon whose functions call back into JavaScript: native and JavaScript frames by turns. */
#include <node_api.h>

#define KEPT __attribute__((noinline, noclone, visibility("default")))

KEPT long twice(long number) { return number * 2; }

/* Calls back for each number below `count`; its own callback comes first. Null: one threw. */
KEPT napi_value each(napi_env env, napi_value callback, long count) {
  napi_value sum = 0, global;
  long all = 0;
  napi_get_global(env, &global);
  for (long i = 0; i < count; i++) {
    napi_value number, result;
    int64_t got = 0;
    napi_create_int64(env, twice(i), &number);
    if (napi_call_function(env, global, callback, 1, &number, &result) != napi_ok) return 0;
    napi_get_value_int64(env, result, &got);
    all += got;
  }
  napi_create_int64(env, all, &sum);
  return sum;
}

static napi_value on_each(napi_env env, napi_callback_info info) {
  napi_value given[2];
  size_t count = 2;
  int64_t times = 0;
  napi_get_cb_info(env, info, &count, given, 0, 0);
  napi_get_value_int64(env, given[1], &times);
  return each(env, given[0], times);
}

KEPT napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value function;
  napi_create_function(env, "each", NAPI_AUTO_LENGTH, on_each, 0, &function);
  napi_set_named_property(env, exports, "each", function);
  return exports;
}

KEPT int32_t node_api_module_get_api_version_v1(void) { return 8; }
