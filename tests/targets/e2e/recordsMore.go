// For each number that it reads: makes so many calls, all on one thread, and says so.
package main

import (
	"fmt"
	"runtime"
)

//go:noinline
func step(i, twice int) int {
	return i + twice
}

func main() {
	runtime.LockOSThread()
	for count, sum := 0, 0; ; fmt.Println("made", count, sum) {
		if got, _ := fmt.Scan(&count); got != 1 {
			return
		}
		for i := 0; i < count; i++ {
			sum += step(i, 2*i)
		}
	}
}
