#include "promises.h"

#include <dlfcn.h>

/* v8::Promise::State() and Result(), whose object is a handle; a napi_value is one. They are not
 * in Deno and Bun. */
static int (*state_of)(napi_value promise);
static napi_value (*result_of)(napi_value promise);
static int is_found;

static void find(void) {
  *(void **)&state_of = dlsym(RTLD_DEFAULT, "_ZN2v87Promise5StateEv");
  *(void **)&result_of = dlsym(RTLD_DEFAULT, "_ZN2v87Promise6ResultEv");
  is_found = 1;
}

u32 promise_look(napi_value promise, napi_value *result) {
  if (!is_found) find();
  if (!state_of || !result_of) return PROMISE_UNKNOWN;
  int state = state_of(promise);
  if (state == 0) return PROMISE_PENDING;
  *result = result_of(promise);
  return state == 1 ? PROMISE_FULFILLED : PROMISE_REJECTED;
}
