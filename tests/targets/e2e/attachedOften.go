// Busy in many goroutines, some of whose threads end, until its input ends; says whether each result was right.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"sync/atomic"
	"time"
)

var done atomic.Bool
var wrong, rounds atomic.Int64

//go:noinline
func stepped(a, b int) int {
	return a*31 + b
}

//go:noinline
func mixed(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum = stepped(sum, i) & 0xffff
	}
	return sum
}

//go:noinline
func deep(n int) int {
	var room [64]int
	if n == 0 {
		return room[0]
	}
	room[n%64] = deep(n-1) + 1
	return room[n%64]
}

func check() {
	if mixed(100) != 9266 || deep(40) != 40 {
		wrong.Add(1)
	}
	rounds.Add(1)
}

func works() {
	for !done.Load() {
		check()
		time.Sleep(200 * time.Microsecond)
	}
}

// The thread of a goroutine that keeps it ends with it.
func endsWithThread(ended chan<- bool) {
	runtime.LockOSThread()
	check()
	ended <- true
}

func endsThreads() {
	ended := make(chan bool)
	for !done.Load() {
		go endsWithThread(ended)
		<-ended
		time.Sleep(20 * time.Millisecond)
	}
}

func main() {
	for i := 0; i < 6; i++ {
		go works()
	}
	go endsThreads()
	fmt.Println("works")
	io.ReadAll(os.Stdin)
	done.Store(true)
	fmt.Println("wrong:", wrong.Load(), "worked:", rounds.Load() > 0)
}
