// Every scalar kind of C as a parameter and as a result, each called once with a telling value.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static int calls = 1;
#define OWN __attribute__((noinline))

enum colour { RED, GREEN = 5, BLUE = -1 };

OWN int8_t take_i8(int8_t small, uint8_t byte) { return (int8_t)(small + (byte == 200 ? -1 : 1)); }
OWN int16_t take_i16(int16_t shorter, uint16_t word) { return (int16_t)(shorter - (word == 65535)); }
OWN int take_int(int number, unsigned count) { return number - (int)count; }
OWN int64_t take_i64(int64_t cents, uint64_t huge) { return cents + (int64_t)(huge & 1); }
OWN uint64_t take_u64(uint64_t huge) { return calls++ ? huge : 0; }
OWN bool take_bool(bool yes, bool no) { return yes && !no; }
OWN char take_char(char letter) { return (char)(letter + (calls > 0)); }
OWN enum colour take_enum(enum colour colour, enum colour other) { return other == BLUE ? GREEN : colour; }
OWN double take_double(double rate, float share) { return rate * 2 + (double)share; }
OWN float take_float(float share) { return share / 2; }
OWN const char *take_text(const char *text, const char *none) { return none ? none : text; }
OWN void *take_pointer(void *place, int *count) { return *count > 0 ? place : NULL; }
OWN int take_many(int a, double b, int c, int d, int e, int f, int g, int h, double i) {
  return a + c + d + e + f + g + h + (int)(b + i);
}
OWN void take_nothing(void) { puts("nothing"); }

int main(void) {
  int count = 3;
  long sum = take_i8(-5, 200) + take_i16(-300, 65535) + take_int(-70000, 3u);
  sum += take_i64(-9007199254740993LL, 18446744073709551615ULL);
  sum += (long)take_u64(9223372036854775809ULL);
  sum += take_bool(true, false) + take_char('x') + take_enum(GREEN, BLUE);
  sum += (long)(take_double(0.125, 1.5f) + take_float(2.5f));
  sum += take_text("naïve café", NULL) != NULL;
  sum += take_pointer(&count, &count) != NULL;
  sum += take_many(1, 2.5, 3, 4, 5, 6, 77, 88, 9.25);
  take_nothing();
  printf("%s\n", sum != 0 ? "done" : "zero");
  return 0;
}
