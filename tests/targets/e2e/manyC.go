// Calls C so fast that calls may be counted in place of recorded: 40 times 2,500 calls, with rests between.
package main

/*
static __attribute__((noinline)) int nop(int n) {
  __asm__ volatile("");
  return n;
}
*/
import "C"

import (
	"fmt"
	"time"
)

//go:noinline
func viaC(n int) int { return int(C.nop(C.int(n))) }

func main() {
	sum := 0
	for burst := 0; burst < 40; burst++ {
		for n := 0; n < 2500; n++ {
			sum += viaC(n)
		}
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Println(sum)
}
