// Reads a number of workers a line; each handles one order in a goroutine of its own, one after the other.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"sync"
)

type order struct {
	id       int
	name     string
	items    []int
	password string
	stock    map[string]int
}

func price(o *order, factor int) int {
	sum := 0
	for _, item := range o.items {
		sum += item * factor /* add */
	}
	return sum
}

var shipping sync.Mutex

var done = fmt.Sprint("done") /* value */

func ship(o *order) (sent int) { /* ship */
	shipping.Lock()
	defer shipping.Unlock() /* unlock */
	sent = o.id * 10
	return sent
}

func handle(n int) int {
	o := &order{id: n, name: fmt.Sprint("order ", n), items: []int{n, n + 1, n + 2}}
	o.password = "secret of " + o.name
	o.stock = map[string]int{"tea": n}
	ship(o)
	total := price(o, 2) /* call */
	return total + 1 /* after */
}

func settle(count int, what string) {
	fmt.Println("settled", count, what) /* settle */
}

func leave(count int) {
	defer settle(count*2, "orders")
}

func main() {
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		count, _ := strconv.Atoi(lines.Text())
		if count == 9 {
			leave(count)
			continue
		}
		results := make(chan int)
		sum := 0
		for i := 1; i <= count; i++ {
			go func() { results <- handle(i) }()
			sum += <-results
		}
		fmt.Println(done, sum)
	}
	os.Exit(3)
}
