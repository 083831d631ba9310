// Variadic functions that are passed hundreds of bytes on the stack.
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
__attribute__((noinline)) long sumv(int n, ...){ va_list a; va_start(a,n); long s=0; for(int i=0;i<n;i++) s+=va_arg(a,long); va_end(a); return s; }
__attribute__((noinline)) void logf_(const char*f,...){ va_list a; va_start(a,f); vprintf(f,a); va_end(a); }
int main(){
 printf("%ld\n",sumv(60,1l,2l,3l,4l,5l,6l,7l,8l,9l,10l,11l,12l,13l,14l,15l,16l,17l,18l,19l,20l,21l,22l,23l,24l,25l,26l,27l,28l,29l,30l,31l,32l,33l,34l,35l,36l,37l,38l,39l,40l,41l,42l,43l,44l,45l,46l,47l,48l,49l,50l,51l,52l,53l,54l,55l,56l,57l,58l,59l,60l));
 logf_("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\n",1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45);
 return 0; }
