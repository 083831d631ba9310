/* See watchRows.h. */
#include "watchRows.h"

int watches_are_sound(const struct watch *watches, u32 count, const struct watch_set *sets,
                      u32 set_count) {
  if (count > WATCH_MOST_WATCHES || set_count > WATCH_MOST_WATCHES) return 0;
  for (u32 i = 0; i < count; i++)
    if (watches[i].words > WATCH_MAX_WORDS ||
        watches[i].limit >
            (watches[i].form & WATCH_FLAG_TREE ? WATCH_TREE_WORDS : WATCH_TEXT_WORDS) * 8)
      return 0;
  for (u32 i = 0; i < set_count; i++) {
    if (sets[i].count > WATCH_MOST) return 0;
    for (u32 k = 0; k < sets[i].count; k++)
      if (sets[i].index[k] >= count) return 0;
  }
  return 1;
}
