#include "modules.h"
#include "attributes.h"

/* The interpreter keeps it for as long as it lives. */
static object *all;

object *modules_new(const char *name, ssize_t *seen) {
  if (!all) all = python.PyImport_GetModuleDict();
  if (!all || GET(all, dict_used, ssize_t) == *seen) return 0;
  *seen = GET(all, dict_used, ssize_t);
  return value_in(all, name);
}
