#pragma once

namespace meter {

__attribute__((noinline)) inline int usedBetween(int before, int after) {
  if (after >= before) return after - before;
  return before - after;
}

}  // namespace meter
