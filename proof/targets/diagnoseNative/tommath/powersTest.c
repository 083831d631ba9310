#include <assert.h>
#include "tommath.h"

/* 2 to the power of `from - bits`; -1: it is no whole number. */
static long shifted(int from, int bits) {
  mp_int power;
  assert(mp_init(&power) == MP_OKAY);
  mp_err result = mp_2expt(&power, from - bits);
  long number = result == MP_OKAY ? mp_get_l(&power) : -1;
  mp_clear(&power);
  return number;
}

static void sums_are_made(void) {
  mp_int one, two;
  assert(mp_init_multi(&one, &two, NULL) == MP_OKAY);
  mp_set_l(&one, 40);
  mp_set_l(&two, 2);
  assert(mp_add(&one, &two, &one) == MP_OKAY);
  assert(mp_get_l(&one) == 42);
  mp_clear_multi(&one, &two, NULL);
}

static void powers_of_two_are_made(void) {
  assert(shifted(8, 3) == 32);
  assert(shifted(5, 5) == 1);
}

/* CVE-2023-36328: a negative number of bits. */
static void fractions_are_refused(void) {
  long number = shifted(3, 8);
  assert(number == -1);
}

int main(void) {
  sums_are_made();
  powers_of_two_are_made();
  fractions_are_refused();
  return 0;
}
