// Everyday code that computes the same at each run, for stops at random lines.
package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
)

type Line struct {
	price float64
	count int
}

type Order struct {
	number   int
	customer string
	lines    []Line
}

func (o *Order) add(price float64, count int) *Order {
	o.lines = append(o.lines, Line{price, count})
	return o
}

func (o Order) total() float64 {
	total := 0.0
	for _, line := range o.lines {
		part := line.price * float64(line.count)
		total += part
	}
	return total
}

type Shape interface {
	area() int
}

type Square struct{ side int }
type Strip struct{ width, height int }

func (s Square) area() int {
	square := s.side * s.side
	return square
}

func (s *Strip) area() int {
	return s.width * s.height
}

func areas(shapes ...Shape) (sum int) {
	for i, shape := range shapes {
		area := shape.area()
		sum += area + i
	}
	return sum
}

func fibonacci(n int) int {
	if n < 2 {
		return n
	}
	before := fibonacci(n - 1)
	last := fibonacci(n - 2)
	return before + last
}

func counter(start int) func(int) int {
	total := start
	return func(step int) int {
		total += step
		return total
	}
}

func words(text string) (string, map[string]int) {
	counts := map[string]int{}
	keys := []string{}
	for _, word := range strings.Fields(text) {
		key := strings.ToLower(strings.Trim(word, ",."))
		if counts[key] == 0 {
			keys = append(keys, key)
		}
		counts[key]++
	}
	sort.Strings(keys)
	longest := ""
	for _, key := range keys {
		if len(key) > len(longest) {
			longest = key
		}
	}
	return longest, counts
}

var errRoom = errors.New("no room")

func put(items map[string]int, room int, name string) (err error) {
	defer func() {
		if left := recover(); left != nil {
			err = fmt.Errorf("%s: %v", name, left)
		}
	}()
	if len(items) >= room {
		return fmt.Errorf("%s: %w", name, errRoom)
	}
	if name == "" {
		panic("no name")
	}
	items[name] = room
	return nil
}

func largest[T int | float64](values []T) (T, int) {
	best := values[0]
	place := 0
	for i, value := range values {
		if value > best {
			best, place = value, i
		}
	}
	return best, place
}

func worker(in <-chan int, out chan<- int) {
	seen := 0
	for value := range in {
		seen++
		doubled := value*2 + seen
		out <- doubled
	}
	close(out)
}

func piped(values []int) int {
	in, out := make(chan int), make(chan int)
	go worker(in, out)
	sum := 0
	for _, value := range values {
		in <- value
		sum += <-out
	}
	close(in)
	for range out {
		sum++
	}
	return sum
}

type Account struct {
	mutex   sync.Mutex
	balance int
}

func (a *Account) pay(amount int) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if amount > a.balance {
		return false
	}
	a.balance -= amount
	return true
}

func main() {
	results := []string{}
	add := counter(3)
	account := &Account{balance: 10}
	items := map[string]int{}
	for turn := 0; turn < 6; turn++ {
		order := &Order{number: turn, customer: fmt.Sprintf("customer %d", turn)}
		order.add(3, turn).add(5.5, 1)
		results = append(results, fmt.Sprint(order.total()))
		results = append(results, fmt.Sprint(areas(Square{turn}, &Strip{turn, 2})))
		results = append(results, fmt.Sprint(fibonacci(turn), add(turn)))
		longest, counts := words("One word, another word. The longest is something.")
		results = append(results, fmt.Sprint(longest, len(counts)))
		name := []string{"lamp", "", "book"}[turn%3]
		if err := put(items, 2, name); err != nil {
			results = append(results, err.Error())
		}
		best, place := largest([]float64{1.5, float64(turn), 2.25})
		results = append(results, fmt.Sprint(best, place, piped([]int{turn, 2})))
		results = append(results, fmt.Sprint(account.pay(turn)))
	}
	fmt.Println(len(strings.Join(results, "")))
}
