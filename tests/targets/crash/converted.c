/* Locals that the compiler dropped and describes by how they come from others of other types. */
#include <stdio.h>

static volatile int sink;
/* Nothing lies there, which compilers must not know. */
static int *volatile nowhere = (int *)16;

__attribute__((noinline)) static int work(int count, unsigned char letter, double price,
                                          float rate, unsigned weight, long far, int *at) {
  long wide = (long)count * 1000000007L;
  unsigned small = (unsigned)letter + 250u;
  short low = (short)count;
  double half = price * 0.5;
  double negative = -price;
  float twice = rate * 2.0f + 1.0f;
  double widened = rate;
  int whole = (int)price;
  unsigned quarter = weight / 4 + weight % 3;
  long share = far / 3;
  long long difference = (long long)count - (long long)letter;
  int isCheap = price < 10.0;
  int isHeavy = weight > 7;
  unsigned char wrapped = (unsigned char)(letter + 200);
  double ofCount = count;
  float ofFar = (float)far;
  /* Compilers say to divide the whole register: of a negative number another one comes out. */
  int seventh = count / 7;
  __asm__ volatile("" : "+r"(at));
  sink = *at;
  return sink + count + letter + (int)(price + rate) + (int)weight + (int)far;
}

int main(int argc, char **argv) {
  (void)argv;
  printf("%d\n", work(-argc * 70001, (unsigned char)(100 + argc), 17.25 * argc, 1.5F * (float)argc,
                      4000000000U + (unsigned)argc, -123456789012L * argc, nowhere));
}
