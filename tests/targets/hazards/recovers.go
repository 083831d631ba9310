// Nil pointers that Go's own signal handler turns into panics, in a program with C in it.
package main

// #include <stdio.h>
// static __attribute__((noinline)) int twice(int a) { return a * 2; }
import "C"
import "fmt"

type node struct {
	next  *node
	value int
}

//go:noinline
func read(n *node) (v int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered: %v", r)
		}
	}()
	return n.next.value, nil
}

func main() {
	sum := 0
	done := make(chan int)
	for worker := 0; worker < 4; worker++ {
		go func() {
			caught := 0
			for i := 0; i < 500; i++ {
				if _, err := read(&node{}); err != nil {
					caught += int(C.twice(C.int(i)))
				}
			}
			done <- caught
		}()
	}
	for worker := 0; worker < 4; worker++ {
		sum += <-done
	}
	_, err := read(nil)
	fmt.Println(err, sum)
}
