// C that is called by Go, Go that is called by threads of C, threads that end, stacks that grow, nil pointers.
package main

/*
#include <pthread.h>
#include <stdint.h>

extern int goAdd(int, int);

static void *work(void *n) { return (void *)(intptr_t)goAdd((int)(intptr_t)n, 1); }

static __attribute__((noinline)) int inThread(int n) {
  pthread_t thread;
  void *sum;
  pthread_create(&thread, 0, work, (void *)(intptr_t)n);
  pthread_join(thread, &sum);
  return (int)(intptr_t)sum;
}

static __attribute__((noinline)) int twice(int n) { return 2 * n; }
*/
import "C"

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

type Order struct {
	Name  string
	Count int
}

type node struct {
	next  *node
	value int
}

//export goAdd
func goAdd(a, b C.int) C.int { return C.int(add(int(a), int(b))) }

//go:noinline
func add(a, b int) int { return a + b }

//go:noinline
func price(order Order) int { return int(C.twice(C.int(order.Count))) }

//go:noinline
func read(n *node) (value int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered: %v", r)
		}
	}()
	return n.next.value, nil
}

//go:noinline
func deep(n int) int {
	var room [64]int
	if n == 0 {
		return room[n]
	}
	return 1 + deep(n-1)
}

// Its thread ends with it.
//
//go:noinline
func locked(n int) int {
	runtime.LockOSThread()
	return add(n, 1000)
}

//go:noinline
func round(i int) int {
	sum := price(Order{"pen", i}) + deep(200)
	if _, err := read(&node{}); err != nil {
		sum += len(err.Error())
	}
	return sum
}

func main() {
	threads, sums := 0, make([]int, 20)
	for i := 0; i < 40; i++ {
		threads += int(C.inThread(C.int(i)))
	}
	var all sync.WaitGroup
	for i := range sums {
		all.Add(1)
		go func() {
			defer all.Done()
			sums[i] = round(i)
		}()
	}
	all.Wait()
	ended := make(chan int)
	for i := 0; i < 20; i++ {
		go func() { ended <- locked(i) }()
		threads += <-ended
		runtime.GC()
	}
	fmt.Println(threads, sums)
	if len(os.Args) < 2 {
		os.Exit(3)
	}
	go func() {
		for i := 0; ; i++ {
			price(Order{"ink", i})
			if os.Args[1] != "calm" {
				C.inThread(C.int(i))
			}
			time.Sleep(time.Millisecond)
		}
	}()
	bufio.NewScanner(os.Stdin).Scan()
}
