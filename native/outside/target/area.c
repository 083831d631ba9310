/* See area.h. */
#include "area.h"

struct settings outside_settings;
