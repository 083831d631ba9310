// Goroutines that wait, each for something else.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

const long = 30 * time.Millisecond

//go:noinline
func slept() int {
	time.Sleep(long)
	return 1
}

//go:noinline
func received(from chan int) int { return <-from }

//go:noinline
func sent(to chan int) { to <- 2 }

//go:noinline
func selected(a, b chan int) int {
	select {
	case n := <-a:
		return n
	case n := <-b:
		return n
	}
}

//go:noinline
func locked(lock *sync.Mutex) int {
	lock.Lock()
	defer lock.Unlock()
	return 4
}

//go:noinline
func grouped(group *sync.WaitGroup) { group.Wait() }

//go:noinline
func signalled(cond *sync.Cond) {
	cond.L.Lock()
	cond.Wait()
	cond.L.Unlock()
}

//go:noinline
func polled(from *os.File) int {
	text := make([]byte, 8)
	n, _ := from.Read(text)
	return n
}

//go:noinline
func called(from int) int {
	text := make([]byte, 8)
	n, _ := syscall.Read(from, text)
	return n
}

//go:noinline
func counted(to int) int {
	sum := 0
	for n := range to {
		sum += n & 3
	}
	return sum
}

// What it calls waits, then it counts.
//
//go:noinline
func outer(from chan int) int { return received(from) + counted(1000) }

//go:noinline
func failing(from chan int) (n int) {
	defer func() { n = recover().(int) }()
	panic(received(from))
}

// Once the first goroutine waits for that.
func later(why string, do func()) {
	go func() {
		text := make([]byte, 1<<16)
		for !strings.Contains(string(text[:runtime.Stack(text, true)]), "goroutine 1 ["+why) {
			time.Sleep(time.Millisecond)
		}
		do()
	}()
}

func main() {
	numbers, more := make(chan int), make(chan int)
	fmt.Println(slept())
	later("chan receive", func() { numbers <- 3 })
	fmt.Println(received(numbers))
	later("chan send", func() { <-numbers })
	sent(numbers)
	later("select", func() { more <- 5 })
	fmt.Println(selected(numbers, more))
	lock := &sync.Mutex{}
	lock.Lock()
	later("sync.Mutex.Lock", lock.Unlock)
	fmt.Println(locked(lock))
	group := &sync.WaitGroup{}
	group.Add(1)
	later("s", group.Done) // until 1.24: semacquire
	grouped(group)
	cond := sync.NewCond(&sync.Mutex{})
	later("sync.Cond.Wait", func() {
		cond.L.Lock()
		cond.Signal()
		cond.L.Unlock()
	})
	signalled(cond)
	out, in, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	later("IO wait", func() { in.Write([]byte("hello")) })
	fmt.Println(polled(out))
	var ends [2]int
	if err := syscall.Pipe(ends[:]); err != nil {
		panic(err)
	}
	later("syscall", func() { syscall.Write(ends[1], []byte("hi")) })
	fmt.Println(called(ends[0]))
	later("chan receive", func() { numbers <- 7 })
	fmt.Println(outer(numbers))
	later("chan receive", func() { numbers <- 8 })
	fmt.Println(failing(numbers))
	if len(os.Args) > 1 {
		go func() {
			time.Sleep(time.Hour)
		}()
		received(more)
	}
}
