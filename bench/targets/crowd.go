// CROWD functions stand below, written by the bench. Answers each line with the longest time, in milliseconds, that a
// goroutine which only looks at the clock was not at work since the last line.
package main

import (
	"fmt"
	"sync/atomic"
	"time"
)

var longest atomic.Int64

func watch() {
	for before := time.Now(); ; {
		now := time.Now()
		if gap := int64(now.Sub(before)); gap > longest.Load() {
			longest.Store(gap)
		}
		before = now
	}
}

func main() {
	fmt.Println("ready", crowd(0) >= 0)
	go watch()
	var line string
	for {
		if got, _ := fmt.Scanln(&line); got != 1 {
			return
		}
		fmt.Printf("%.3f\n", float64(longest.Swap(0))/1e6)
	}
}
