// Ends as its first argument says: by a panic, a nil pointer, a deadlock, or a map that is written by several at once;
// or does not end: stuck, crossed, served.
package main

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

type Order struct {
	Items []string
	Next  *Order
}

//go:noinline
func count(order *Order) int {
	return len(order.Items)
}

//go:noinline
func price(order *Order, factor int) int {
	return count(order.Next) * factor
}

//go:noinline
func check(n int) error {
	if n > 2 {
		panic(fmt.Errorf("too many: %d", n))
	}
	return errors.New("few")
}

//go:noinline
func take(first, second *sync.Mutex, name string, both *sync.WaitGroup, taken chan bool) {
	first.Lock()
	defer first.Unlock()
	both.Done()
	both.Wait()
	second.Lock()
	taken <- true
	fmt.Println(name)
}

//go:noinline
func send(numbers chan int, n int) {
	numbers <- n
}

func deadlock() {
	var left, right sync.Mutex
	var both sync.WaitGroup
	taken := make(chan bool)
	both.Add(2)
	go take(&left, &right, "one", &both, taken)
	go take(&right, &left, "two", &both, taken)
	go send(make(chan int), 4)
	<-taken
}

//go:noinline
func pass(from, to chan int) {
	n := <-from
	to <- n + 1
}

// Each waits for what the other would send.
func crossed() {
	left, right := make(chan int), make(chan int)
	go pass(left, right)
	go pass(right, left)
}

//go:noinline
func write(numbers map[int]int, from int) {
	for i := 0; ; i++ {
		numbers[from+i%100] = i
	}
}

//go:noinline
func tick() {
	for {
		time.Sleep(time.Second)
	}
}

func main() {
	switch os.Args[1] {
	case "panic":
		check(1)
		check(3)
	case "nil":
		fmt.Println(price(&Order{Items: []string{"a"}}, 2))
	case "deadlock":
		deadlock()
	case "stuck":
		go tick()
		deadlock()
	case "crossed":
		crossed()
		tick()
	case "served":
		// It may still send to one of them.
		left, right := make(chan int), make(chan int)
		go pass(left, right)
		go pass(right, left)
		tick()
		left <- 1
	case "maps":
		numbers := map[int]int{}
		go write(numbers, 1)
		write(numbers, 1000)
	}
}
