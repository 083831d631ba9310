// A structure of 400 bytes by value, and 36 words, on the stack.
#include <stdio.h>
#include <string.h>
struct big { char b[400]; };
__attribute__((noinline)) int sum(struct big x){ int s=0; for(int i=0;i<400;i++) s+=(unsigned char)x.b[i]; return s; }
__attribute__((noinline)) int many(int a,int b,int c,int d,int e,int f,long l1,long l2,long l3,long l4,long l5,long l6,long l7,long l8,long l9,long l10,long l11,long l12,long l13,long l14,long l15,long l16,long l17,long l18,long l19,long l20,long l21,long l22,long l23,long l24,long l25,long l26,long l27,long l28,long l29,long l30,long l31,long l32,long l33,long l34,long l35,long l36){
 return a+b+c+d+e+f+l1+l2+l3+l4+l5+l6+l7+l8+l9+l10+l11+l12+l13+l14+l15+l16+l17+l18+l19+l20+l21+l22+l23+l24+l25+l26+l27+l28+l29+l30+l31+l32+l33+l34+l35+l36; }
int main(){ struct big b; for(int i=0;i<400;i++) b.b[i]=i*7; printf("%d\n",sum(b));
 printf("%d\n",many(1,2,3,4,5,6,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36)); return 0; }
