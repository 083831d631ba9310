// Sets a filter of its own system calls, then works on, also on new threads. Arguments: by which way of Go's (raw,
// raw6, call, every) and what a forbidden call does (kill, errno; allow: none is).
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"unsafe"
)

type instruction struct {
	code    uint16
	yes, no uint8
	value   uint32
}

type program struct {
	count uint16
	code  *instruction
}

// What Go's runtime needs on Linux, and no more.
var allowed = []uint32{0, 1, 3, 9, 10, 11, 13, 14, 15, 17, 24, 28, 35, 39, 56, 60, 72, 131, 157, 186, 202, 204, 219, 230, 231,
	232, 233, 234, 257, 262, 281, 290, 291, 293, 318, 334, 435, 441, 222, 223, 226, 228, 229}

const (
	setNoNewPrivileges = 38
	setSeccomp         = 22
	seccomp            = 317
	filterMode         = 2
	allThreads         = 1
)

func filter(does string) *program {
	code := []instruction{{code: 0x20, value: 0}}
	for _, number := range allowed {
		code = append(code, instruction{code: 0x15, no: 1, value: number}, instruction{code: 0x06, value: 0x7fff0000})
	}
	otherwise := uint32(0x80000000)
	switch does {
	case "errno":
		otherwise = 0x00050001
	case "allow":
		otherwise = 0x7fff0000
	}
	code = append(code, instruction{code: 0x06, value: otherwise})
	return &program{uint16(len(code)), &code[0]}
}

func set(how, does string) syscall.Errno {
	one := uintptr(unsafe.Pointer(filter(does)))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	syscall.RawSyscall6(syscall.SYS_PRCTL, setNoNewPrivileges, 1, 0, 0, 0, 0)
	var failed syscall.Errno
	switch how {
	case "raw":
		_, _, failed = syscall.RawSyscall(seccomp, 1, allThreads, one)
	case "raw6":
		_, _, failed = syscall.RawSyscall6(seccomp, 1, allThreads, one, 0, 0, 0)
	case "call":
		_, _, failed = syscall.Syscall(seccomp, 1, allThreads, one)
	case "every":
		syscall.AllThreadsSyscall(syscall.SYS_PRCTL, setNoNewPrivileges, 1, 0)
		_, _, failed = syscall.AllThreadsSyscall(syscall.SYS_PRCTL, setSeccomp, filterMode, one)
	}
	return failed
}

//go:noinline
func measure(text string) int { return len(strings.TrimSpace(text)) }

func work(text string) (sum int) {
	for i := 0; i < 1000; i++ {
		sum += measure(text)
	}
	return sum
}

func main() {
	text := strings.Repeat("on the heap ", 3)
	sum := work(text)
	failed := set(os.Args[1], os.Args[2])
	sum += work(text)
	var group sync.WaitGroup
	sums := make([]int, 4)
	for i := range sums {
		group.Add(1)
		go func() {
			runtime.LockOSThread() // ends with its thread
			defer group.Done()
			sums[i] = work(text)
		}()
	}
	group.Wait()
	for _, one := range sums {
		sum += one
	}
	fmt.Printf("filter %d, sum %d\n", failed, sum)
	os.Exit(13)
}
