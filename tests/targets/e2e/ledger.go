// Pays from accounts in several goroutines; `deep` passes the address of a local variable while its stack is copied.
package main

import (
	"fmt"
	"os"
	"sync"
)

type account struct {
	owner string
	cents int
}

var balance int
var book = map[string]int{}

//go:noinline
func (a *account) pay(cents int, note string) int {
	balance += cents
	book[note] += cents
	a.cents -= cents
	return a.cents
}

//go:noinline
func half(n int) int { return n / 2 }

//go:noinline
func deep(n int, mark *int) int {
	var room [512]int
	room[n] = n
	if n == 0 {
		return *mark
	}
	return deep(n-1, mark) + room[0]
}

//go:noinline
func marked(first *int) int {
	sum := deep(40, first)
	*first++
	return sum
}

func main() {
	ada := &account{"ada", 100}
	for i := 1; i <= 4; i++ {
		ada.pay(i*15, fmt.Sprint("note", i%2))
	}
	fmt.Println(half(4), half(5), balance, len(book))
	var all sync.WaitGroup
	sums := make([]int, 8)
	for g := range sums {
		all.Add(1)
		go func() {
			defer all.Done()
			first := 7 + g
			sums[g] = marked(&first)
		}()
	}
	all.Wait()
	fmt.Println(sums)
	defer func() { fmt.Println("caught", recover(), ada.cents); os.Exit(3) }()
	var none *account
	none.pay(1, "none")
}
