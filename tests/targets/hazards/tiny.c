/* Calls each function of tiny.S and prints what it gets. */
#include <stdio.h>
#define EACH(of) of(b03) of(b04) of(b05) of(b06) of(b07) of(b08) of(b11) of(b15) of(packed1) of(packed2) of(packed3) of(loops) of(again) of(where) of(asks_odd)
#define DECLARE(name) int name(long);
EACH(DECLARE)
void b01(void);
void b02(void);
int counts(long);
long count_above(long, long);
int main(void) {
  for (long i = 1; i < 200; i++) {
    b01();
    b02();
#define PRINT(name) printf("%d ", name(i));
    EACH(PRINT)
    printf("%ld\n", count_above(i, 50));
  }
  return counts(0) & 0;
}
