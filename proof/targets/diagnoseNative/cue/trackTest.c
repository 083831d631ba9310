#include <assert.h>
#include <string.h>
#include "cd.h"

static void tracks_are_counted(void) {
  Cd *cd = cd_init();
  cd_add_track(cd);
  cd_add_track(cd);
  assert(cd_get_ntrack(cd) == 2);
}

static void indexes_are_kept(void) {
  Track *track = track_init();
  track_set_index(track, 1, 150);
  assert(track_get_index(track, 1) == 150);
  assert(track_get_index(track, 2) == -1);
}

static void files_are_kept(void) {
  Track *track = track_init();
  track_set_filename(track, strdup("one.wav"));
  assert(strcmp(track_get_filename(track), "one.wav") == 0);
}

/* CVE-2023-43641: numbers below zero. */
static void an_index_below_zero_changes_nothing(void) {
  Cd *cd = cd_init();
  Track *track = cd_add_track(cd);
  track_set_mode(track, MODE_MODE1);
  track_set_index(track, 1, 75);
  track_set_index(track, -4, 4);
  track_set_length(track, 300);
  int is_data = track_is_set_flag(track, FLAG_DATA);
  assert(is_data == 0);
}

int main(void) {
  tracks_are_counted();
  indexes_are_kept();
  files_are_kept();
  an_index_below_zero_changes_nothing();
  return 0;
}
