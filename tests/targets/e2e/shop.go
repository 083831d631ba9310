// Says `ready`; buys as many things as a line says, each in a goroutine of its own, and says `done`. With `busy`
// all goroutines compute at once, while stacks grow and memory is collected, and the sum of it all is said.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

type item struct {
	Name     string
	Price    int
	Tags     []string
	password string
}

type shop struct {
	mu    sync.Mutex
	stock map[string]int
	total int
}

func (s *shop) buy(thing *item, count int, why string) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if count < 0 {
		return 0, errors.New("negative: " + why)
	}
	sum := 0
	for i := 0; i < count; i++ {
		each := thing.Price + i
		sum += each /* add */
	}
	s.total += sum
	s.stock[thing.Name] += count
	left := s.stock[thing.Name]
	return sum + left, nil /* bought */
}

func split(text string, parts []string, scale float64) string { /* split */
	out := ""
	for n, part := range parts {
		out += part + text
		scale *= float64(n + 1)
	}
	return out + strconv.FormatFloat(scale, 'f', 1, 64)
}

//go:noinline
func half(n int) int { return n / 2 }

func escapes(start int) func() int {
	kept := start
	return func() int {
		kept += 3 /* kept */
		return kept
	}
}

func deep(n int, text string) int {
	var room [64]int
	for i := range room {
		room[i] = n*i ^ len(text) /* room */
	}
	if n == 0 {
		return room[5]
	}
	below := deep(n-1, text+"x")
	if below%7 == 3 {
		below ^= room[n%64]
	} else if below < 0 {
		below = -below
	}
	return below + room[n%64]
}

func checked(n int) (result int, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("caught: %v", caught)
			result = -n
		}
	}()
	numbers := []int{1, 2, 3}
	result = numbers[n%5] /* index */
	return result * n, nil
}

func mix(seed uint32, rounds int, weights []float64) (uint32, float64) {
	total := 0.5
	for i := 0; i < rounds; i++ {
		seed ^= seed << 13
		seed ^= seed >> 17
		seed ^= seed << 5
		weight := weights[int(seed)%len(weights)&3]
		if weight > total {
			total += weight / 3
		} else {
			total -= weight * 0.25
		}
		if i%64 == 0 {
			name := strings.Repeat(strconv.Itoa(i), 3)
			seed += uint32(len(name))
		}
	}
	return seed, total
}

func busy(goroutines, rounds int) string {
	var all sync.WaitGroup
	sums := make([]string, goroutines)
	for g := range sums {
		all.Add(1)
		go func() {
			defer all.Done()
			sum := 0
			for r := 0; r < rounds; r++ {
				seed, total := mix(uint32(g*rounds+r+1), 200, []float64{0.5, 1.5, 2.5, 3.5})
				got, err := checked(int(seed % 11))
				if err != nil {
					got--
				}
				sum += got + deep(r%40, "t") + int(total*1000)
				if r%16 == 0 {
					runtime.Gosched()
				}
			}
			sums[g] = strconv.Itoa(sum)
		}()
	}
	stop := make(chan bool)
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	all.Wait()
	stop <- true
	return strings.Join(sums, " ")
}

func main() {
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	store := &shop{stock: map[string]int{}}
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if words[0] == "busy" {
			rounds, _ := strconv.Atoi(words[1])
			fmt.Println(busy(8, rounds))
			fmt.Println("done")
			continue
		}
		count, _ := strconv.Atoi(words[0])
		next := escapes(count)
		results := make(chan int)
		for i := 1; i <= count; i++ {
			go func() {
				thing := &item{Name: fmt.Sprint("tea", i%3), Price: 10 * i, Tags: []string{"a", "b"}}
				thing.password = "hidden"
				sum, _ := store.buy(thing, i%4, "round")
				results <- sum
			}()
			<-results
		}
		fmt.Println("done", store.total, next()+next(), half(count), split("x", []string{"p", "q"}, 1.5))
	}
	os.Exit(3)
}
