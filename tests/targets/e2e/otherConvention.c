// A function that is called as on Windows.
#include <stdio.h>
__attribute__((ms_abi,noinline)) long six(long a,long b,long c,long d,long e,long f){ volatile long x=a; return x+b*2+c*3+d*4+e*5+f*6; }
__attribute__((noinline)) long plain(long a){ volatile long x=a; return x*2; }
int main(){ printf("%ld %ld\n",six(1,2,3,4,5,6),plain(4)); return 0; }
