// For each line of its input two goroutines call a function that many times, at the same time.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"sync"
)

//go:noinline
func left(n int) int {
	return n + 1 // left
}

//go:noinline
func right(n int) int {
	return n + 2 // right
}

func work(call func(int) int, times int) {
	sum := 0
	for i := 0; i < times; i++ {
		sum += call(i)
		for j := 0; j < 20_000; j++ {
			sum ^= j
		}
	}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	fmt.Println("ready")
	for lines.Scan() {
		times, _ := strconv.Atoi(lines.Text())
		var all sync.WaitGroup
		for _, call := range []func(int) int{left, right} {
			all.Add(1)
			go func() {
				defer all.Done()
				work(call, times)
			}()
		}
		all.Wait()
		fmt.Println("done", times)
	}
}
