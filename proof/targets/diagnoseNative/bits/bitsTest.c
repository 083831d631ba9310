#include <assert.h>
#include "bits.h"

static void reads_samples(void) {
  struct frame frame;
  const unsigned char bytes[] = {0x0a, 0x01, 0x42};
  assert(frame_read(&frame, bytes, sizeof bytes) == 2);
  assert(frame_sum(&frame) == 5 + 2);
}

static void knows_what_is_cut_off(void) {
  struct frame frame;
  const unsigned char bytes[] = {0x0c, 0x01, 0x40};
  assert(frame_read(&frame, bytes, sizeof bytes) == -1);
}

static void adds_differences(void) {
  struct frame frame;
  const unsigned char bytes[] = {0x4a, 0x53, 0x18};
  assert(frame_read(&frame, bytes, sizeof bytes) == 2);
  assert(frame_sum(&frame) == 6 + 12);
}

static void falls_and_rises(void) {
  struct frame frame;
  const unsigned char bytes[] = {0x4b, 0x53, 0x7c, 0x20};
  frame_read(&frame, bytes, sizeof bytes);
  int sum = frame_sum(&frame);
  assert(sum == 6 + 5 + 6);
}

int main(void) {
  reads_samples();
  knows_what_is_cut_off();
  adds_differences();
  falls_and_rises();
  return 0;
}
