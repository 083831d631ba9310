// Calls of which a policy chooses some. Each is made in a goroutine of its own, in turn.
package main

import (
	"errors"
	"fmt"
	"time"
)

type Order struct {
	ID    int
	Owner string
	Items []string
}

var errEmpty = errors.New("no items")

//go:noinline
func check(o *Order, limit int) (int, error) {
	if len(o.Items) == 0 {
		return 0, errEmpty
	}
	return inner(len(o.Items)) * limit / 2, nil
}

//go:noinline
func price(name string, factor float64, rest []int) float64 {
	return float64(len(name)) * factor * float64(len(rest)+1)
}

//go:noinline
func slow(n int) int {
	if n%3 == 0 {
		time.Sleep(30 * time.Millisecond)
	}
	return inner(n) + 1
}

//go:noinline
func inner(n int) int { return n * 2 }

//go:noinline
func deep(n int) int {
	if n == 0 {
		return 0
	}
	return deep(n-1) + 1
}

//go:noinline
func broken(n int) (out int) {
	defer func() { recover() }()
	return falls(n)
}

//go:noinline
func falls(n int) int {
	if n%2 == 1 {
		panic("odd")
	}
	return n
}

//go:noinline
func begin(n int) int { return n }

//go:noinline
func end(n int) int { return n }

func main() {
	names := []string{"ada", "bob", "cyd", "ada"}
	sum := 0
	done := make(chan int)
	for i := range 12 {
		go func() {
			order := &Order{ID: i, Owner: names[i%4], Items: names[:i%4]}
			n, err := check(order, i)
			if err != nil {
				n = -1
			}
			if i == 4 {
				begin(i)
			}
			n += int(price(names[i%4], float64(i)/2, make([]int, i%3)))
			if i == 6 {
				end(i)
			}
			n += slow(i) + deep(i%5) + broken(i)
			done <- n
		}()
		sum += <-done
	}
	fmt.Println("sum", sum)
}
