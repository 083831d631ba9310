// Calls of many kinds on several goroutines. Arguments: how it ends (exit, panic, hot, stay).
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

type Account struct {
	Owner   string
	Balance int
	history []string
}

type Shape interface{ Area() float64 }
type Square struct{ W, H float64 }

func (s Square) Area() float64 { return s.W * s.H }

//go:noinline
func (a *Account) Deposit(amount int, why string) (int, error) {
	if amount < 0 {
		return a.Balance, errors.New("negative: " + why)
	}
	a.Balance += amount
	a.history = append(a.history, why)
	return a.Balance, nil
}

//go:noinline
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

//go:noinline
func mean(xs []float64, scale float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs)) * scale
}

//go:noinline
func Map[T, U any](xs []T, f func(T) U) []U {
	out := make([]U, 0, len(xs))
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}

//go:noinline
func check(n int) {
	if n > 1 {
		panic(fmt.Sprintf("too many: %d", n))
	}
}

//go:noinline
func guarded(names map[string]int, shape Shape, _ uint8) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered: %v", r)
		}
	}()
	check(len(names))
	return nil
}

//go:noinline
func length(text string) int {
	if text == "" {
		panic("empty")
	}
	return len(text)
}

//go:noinline
func lengthOr(text string) (n int) {
	defer func() {
		if r := recover(); r != nil {
			n = -1
		}
	}()
	return length(text)
}

//go:noinline
func many(a, b, c, d, e, f, g, h, i, j int, last string) (int, error) { return a + j, nil }

// Its stack grows, and is copied, while the calls above are open.
//
//go:noinline
func deep(n int) int {
	var room [512]byte
	room[n%512] = 1
	if n == 0 {
		return int(room[0])
	}
	time.Sleep(time.Microsecond)
	return deep(n-1) + int(room[n%512])
}

//go:noinline
func worker(id int, done *sync.WaitGroup) {
	defer done.Done()
	account := &Account{Owner: fmt.Sprint("w", id)}
	for i := 0; i < 20; i++ {
		account.Deposit(i, "salary")
		time.Sleep(100 * time.Microsecond)
	}
	deep(100)
}

//go:noinline
func waited(from chan int) int { return <-from }

// Returns on another thread than it was called on: the goroutine that answers keeps that one.
func elsewhere() int {
	answers := make(chan int)
	go func() {
		runtime.LockOSThread()
		answers <- 7
		<-make(chan int)
	}()
	return waited(answers)
}

func round() {
	var done sync.WaitGroup
	for i := 0; i < 8; i++ {
		done.Add(1)
		go worker(i, &done)
	}
	done.Wait()
}

func main() {
	account := &Account{Owner: "Ada"}
	fmt.Println(account.Deposit(5, "gift"))
	fmt.Println(account.Deposit(-1, "oops"))
	fmt.Println(fib(10), mean([]float64{1, 2, 3}, 2))
	fmt.Println(Map([]int{1, 2}, func(i int) string { return fmt.Sprint(i) }))
	fmt.Println(guarded(map[string]int{"a": 1}, Square{2, 3}, 7), guarded(map[string]int{"a": 1, "b": 2}, nil, 8))
	fmt.Println(many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "end"))
	fmt.Println(lengthOr("three"), lengthOr(""))
	fmt.Println(elsewhere())
	round()
	switch os.Args[1] {
	case "exit":
		os.Exit(3)
	case "panic":
		check(9)
	case "hot":
		fmt.Println(fib(27))
	case "stay":
		for i := 0; i < 1000000; i++ {
			round()
		}
	}
}
