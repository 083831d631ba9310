// C below Go below C: on many threads at once, by goroutines that move between threads, and left by panics.
package main

/*
#include <pthread.h>
#include <stdint.h>

extern int goBack(int);
extern void goPanic(int);

static __attribute__((noinline)) int step(int n) {
  __asm__ volatile("");
  return n + 1;
}

static __attribute__((noinline)) int scan(int n) { return step(n) + step(n + 1) - step(n); }

static __attribute__((noinline)) int around(int n) { return step(n) + goBack(n) + step(n); }

static __attribute__((noinline)) int broken(int n) {
  goPanic(n);
  return step(n);
}

static void *work(void *n) { return (void *)(intptr_t)goBack((int)(intptr_t)n); }

static __attribute__((noinline)) int inThread(int n) {
  pthread_t thread;
  void *sum;
  pthread_create(&thread, 0, work, (void *)(intptr_t)n);
  pthread_join(thread, &sum);
  return (int)(intptr_t)sum;
}
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"sync"
)

const rounds = 20

//export goBack
func goBack(n C.int) C.int { return C.int(inner(int(n))) }

//export goPanic
func goPanic(n C.int) { panic(int(n)) }

//go:noinline
func inner(n int) int {
	if n%10 > 0 {
		return int(C.around(C.int(n - 1)))
	}
	runtime.Gosched()
	return int(C.scan(C.int(n)))
}

//go:noinline
func parse(n int) int {
	sum := int(C.scan(C.int(n)))
	runtime.Gosched()
	sum += part(n)
	runtime.Gosched()
	return sum + int(C.scan(C.int(n)))
}

//go:noinline
func part(n int) int { return int(C.step(C.int(n))) }

//go:noinline
func outer(n int) int { return int(C.around(C.int(n))) }

//go:noinline
func rescued(n int) (sum int) {
	func() {
		defer func() { sum = recover().(int) }()
		C.broken(C.int(n))
	}()
	return sum + int(C.scan(C.int(n)))
}

// Not traced: what it calls has no caller that is recorded.
//
//go:noinline
func quiet(n int) int { return int(C.scan(C.int(-n))) }

func main() {
	var all sync.WaitGroup
	sums := make([]int, 12)
	for who := range sums {
		all.Add(1)
		go func() {
			defer all.Done()
			for round := 0; round < rounds; round++ {
				n := 1000000 + who*10000 + round*10
				sums[who] += parse(n) + quiet(n) + outer(n+3) + rescued(n)
				runtime.Gosched()
				sums[who] += quiet(n)
			}
		}()
	}
	all.Wait()
	threads := 0
	for n := 0; n < 20; n++ {
		threads += int(C.inThread(C.int(2000000 + 10*n)))
	}
	fmt.Println(sums, threads)
	os.Exit(5)
}
