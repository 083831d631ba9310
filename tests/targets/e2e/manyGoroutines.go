// Goroutines that count all the time, beside one that says so every 20 ms.
package main

import (
	"fmt"
	"sync/atomic"
	"time"
)

var counted atomic.Int64

func count(by int64) int64 {
	sum := by
	sum += counted.Add(by)
	return sum
}

func work(by int64) {
	for {
		count(by)
		time.Sleep(50 * time.Microsecond)
	}
}

func main() {
	for by := range 6 {
		go work(int64(by))
	}
	fmt.Println("ready")
	for {
		time.Sleep(20 * time.Millisecond)
		fmt.Println("round", counted.Load())
	}
}
