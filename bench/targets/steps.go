// For each line "n rounds pause", or for the arguments: runs bursts of n steps, so many ms apart, and prints what a step took, in
// nanoseconds of the thread's processor time, or for its arguments by the clock: others work for it then. A first burst does not count.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

const threadTime = 3 // CLOCK_THREAD_CPUTIME_ID

func now() int64 {
	if len(os.Args) > 1 {
		return time.Now().UnixNano()
	}
	var at syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadTime, uintptr(unsafe.Pointer(&at)), 0)
	return at.Nano()
}

//go:noinline
func step(i, twice int) int {
	return i + twice
}

func main() {
	runtime.LockOSThread()
	fmt.Println("ready")
	var input io.Reader = os.Stdin
	if len(os.Args) > 1 {
		input = strings.NewReader(strings.Join(os.Args[1:], " "))
	}
	var count, rounds, pause, sum int
	for {
		if got, _ := fmt.Fscan(input, &count, &rounds, &pause); got != 3 {
			return
		}
		var took int64
		for round := -1; round < rounds; round++ {
			began := now()
			for i := 0; i < count; i++ {
				sum += step(i, 2*i)
			}
			if round >= 0 {
				took += now() - began
			}
			time.Sleep(time.Duration(pause) * time.Millisecond)
		}
		fmt.Printf("%.3f\n", float64(took)/float64(count*rounds))
	}
}
