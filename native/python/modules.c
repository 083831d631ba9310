#include "modules.h"
#include "attributes.h"

/* The interpreter keeps it for as long as it lives. */
static object *all;

ssize_t modules_count(void) {
  if (!all) all = python.PyImport_GetModuleDict();
  return all ? GET(all, dict_used, ssize_t) : 0;
}

object *modules_new(const char *name, ssize_t *seen) {
  if (modules_count() == *seen) return 0;
  *seen = modules_count();
  return value_in(all, name);
}
